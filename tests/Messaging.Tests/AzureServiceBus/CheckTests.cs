using Quayside.Messaging.AzureServiceBus;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.AzureServiceBus;

public sealed class CheckTests
{
    [Theory]
    [InlineData(nameof(ServiceBusFaultKind.NotFound), "Sources:ServiceBus:Queue", ExitCodes.Unavailable)]
    [InlineData(nameof(ServiceBusFaultKind.Disabled), "enable it", ExitCodes.Unavailable)]
    [InlineData(nameof(ServiceBusFaultKind.Unauthorized), "Azure Service Bus Data Receiver", ExitCodes.NoPermission)]
    [InlineData(nameof(ServiceBusFaultKind.SessionsRequired), "set Sources:ServiceBus:Sessions to true", ExitCodes.Configuration)]
    public async Task Check_Refused_SaysWhatToDo(string kind, string advice, int exitCode)
    {
        await using ServiceBusSourceHarness harness = new();
        harness.Bus.CheckFault = BusFaults.Of(kind, "the service's words");

        StartupException exception = await Should.ThrowAsync<StartupException>(harness.Source.CheckAsync(CancellationToken.None));

        exception.ExitCode.ShouldBe(exitCode);
        exception.Message.ShouldContain("Service Bus orders");
        exception.Message.ShouldContain(advice);
        exception.Message.ShouldContain("the service's words");
    }

    [Theory]
    [InlineData(nameof(ServiceBusFaultKind.Transient))]
    [InlineData(nameof(ServiceBusFaultKind.Other))]
    public async Task Check_TransientFault_IsAWarning(string kind)
    {
        await using ServiceBusSourceHarness harness = new();
        harness.Bus.CheckFault = BusFaults.Of(kind, "down");

        await harness.Source.CheckAsync(CancellationToken.None);

        harness.Log.Entries.ShouldHaveSingleItem().Id.Id.ShouldBe(3300);
    }

    [Fact]
    public async Task Problem_BrokerHasNotAnswered_IsReported()
    {
        await using ServiceBusSourceHarness harness = new();
        harness.Source.Problem.ShouldBe("Service Bus has not answered yet.");

        await harness.StartAsync();

        harness.Source.Problem.ShouldBeNull();
        harness.Log.Entries.ShouldBeEmpty();
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Problem_BrokerUnreachableAtTheStart_IsReportedUntilItAnswers()
    {
        await using ServiceBusSourceHarness harness = new();
        harness.Bus.CheckFault = BusFaults.Of(ServiceBusFaultKind.Transient, "connection refused");
        await harness.StartAsync();
        harness.Source.Problem.ShouldNotBeNull().ShouldStartWith("Service Bus cannot be reached: connection refused");

        await harness.AdvanceAsync(TimeSpan.FromMinutes(10));
        harness.Source.Problem.ShouldNotBeNull().ShouldStartWith("Service Bus cannot be reached: connection refused");
        harness.Bus.CheckFault = null;
        // The line follows the change.
        await harness.AdvanceUntilAsync(
            () => harness.Source.Problem is null && harness.Log.Entries.Count > 1, TimeSpan.FromSeconds(1), "The broker should be asked again.");

        harness.Log.Entries.Select(entry => entry.Id.Id).ShouldBe([3300, 3303]);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Check_NoAnswer_IsAWarningAfterItsLimit()
    {
        await using ServiceBusSourceHarness harness = new();
        harness.Bus.Gate = new TaskCompletionSource().Task;

        Task checking = harness.Source.CheckAsync(CancellationToken.None);
        await harness.AdvanceAsync(TimeSpan.FromSeconds(8));
        checking.IsCompleted.ShouldBeFalse();
        await harness.AdvanceAsync(TimeSpan.FromSeconds(1));
        await checking.WaitAsync(TimeSpan.FromSeconds(30));

        harness.Log.Entries.ShouldHaveSingleItem().Text.ShouldContain("no answer within 9 s");
    }

    [Fact]
    public async Task Check_Unanswered_IsRetriedOnceByAClientOfItsOwn()
    {
        await using ServiceBusSourceHarness harness = new();

        await harness.Source.CheckAsync(CancellationToken.None);

        harness.Bus.Clients.Select(client => client.Receivers.Count).ShouldBe([0, 1]);
        harness.Bus.Clients.Last().Retries.ShouldNotBeNull().MaxRetries.ShouldBe(1, "The default retries refused credentials for 11 s.");
        harness.Bus.Clients.Last().Receivers.First().IsClosed.ShouldBeTrue();
    }

    [Fact]
    public async Task Check_Cancelled_Throws()
    {
        await using ServiceBusSourceHarness harness = new();
        harness.Bus.Gate = new TaskCompletionSource().Task;
        using CancellationTokenSource stop = new();
        Task checking = harness.Source.CheckAsync(stop.Token);

        await stop.CancelAsync();

        await Should.ThrowAsync<OperationCanceledException>(checking);
        harness.Bus.Gate = null;
    }
}
