using System.Diagnostics;
using Azure.Messaging.ServiceBus;
using Messaging.Tests.Sources;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Archive;
using Quayside.Messaging.AzureServiceBus;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Publishing;

namespace Messaging.Tests.AzureServiceBus;

public sealed class ServiceBusMessageSenderTests
{
    private readonly FakeBus _bus = new(TimeProvider.System);

    [Fact]
    public async Task Publish_ThousandMessages_GoesInTenBatchesOfAHundred()
    {
        using IMessageSender sender = await CreateAsync();

        PublishResult result = await PublishRun.SendAsync(
            sender, new GeneratedMessages(MessageGenerator.Write, TimeProvider.System).Create, 1_000, rate: null, CancellationToken.None);

        result.ShouldBe(new PublishResult(1_000, 1_000, null));
        _bus.Senders.First().Batches.ShouldBe(Enumerable.Repeat(100, 10));
        _bus.Count.ShouldBe(1_000);
    }

    [Fact]
    public async Task Send_MoreThanABatchHolds_IsSentInSeveralInOrder()
    {
        _bus.BatchBytes = 25;
        using IMessageSender sender = await CreateAsync();

        string?[] errors = await sender.SendAsync(Messages(10, 10, 10, 10, 10), CancellationToken.None);

        errors.ShouldAllBe(error => error == null);
        _bus.Senders.First().Batches.ShouldBe([2, 2, 1]);
    }

    [Fact]
    public async Task Send_Redriven_HasANewIdWithTheFirstBesideItAndItsSystemProperties()
    {
        using IMessageSender sender = await CreateAsync();
        OutgoingMessage first = new(new string('i', 128), "{}"u8.ToArray())
        {
            DeduplicationId = "old",
            Group = "s",
            IsRedriven = true,
            SystemProperties = new Dictionary<string, string>(StringComparer.Ordinal)
            { ["subject"] = "sold", ["correlation-id"] = "c", ["content-type"] = "text/plain", ["to"] = "t", ["reply-to"] = "r" },
        };

        await sender.SendAsync([first, first with { SystemProperties = new Dictionary<string, string>(StringComparer.Ordinal) }], CancellationToken.None);

        ServiceBusMessage[] sent = [.. _bus.Senders.First().Sent];
        sent.ShouldAllBe(
            message => message.MessageId.Length == 123
                && message.MessageId.StartsWith(new string('i', 90) + "-")
                && (string)message.ApplicationProperties["RedrivenMessageId"] == first.Id
                && message.SessionId == "s");
        sent[0].MessageId.ShouldNotBe(sent[1].MessageId);
        (sent[0].Subject, sent[0].CorrelationId, sent[0].ContentType, sent[0].To, sent[0].ReplyTo).ShouldBe(("sold", "c", "text/plain", "t", "r"));
        sent[1].ContentType.ShouldBeNull();
    }

    [Fact]
    public async Task Send_OneIsTooLarge_IsNamedAndTheOthersAreSent()
    {
        _bus.BatchBytes = 25;
        using IMessageSender sender = await CreateAsync();

        string?[] errors = await sender.SendAsync(Messages(26, 10, 26, 10, 26), CancellationToken.None);

        errors.Select(error => error is null).ShouldBe([false, true, false, true, false]);
        errors[0].ShouldNotBeNull().ShouldContain("26 bytes, too many for a message to orders");
        _bus.Count.ShouldBe(2);
    }

    [Fact]
    public async Task Send_CallFails_FailsForTheMessagesOfItsBatch()
    {
        _bus.BatchBytes = 25;
        using IMessageSender sender = await CreateAsync();
        _bus.SendFault = BusFaults.Of(ServiceBusFaultKind.QuotaExceeded, "the queue is full");

        string?[] errors = await sender.SendAsync(Messages(10, 10, 10), CancellationToken.None);

        sender.Problem.ShouldBeNull();
        await sender.SendAsync(Messages(20, 20, 20), CancellationToken.None);
        sender.Problem.ShouldNotBeNull("Five calls in a row failed.").ShouldStartWith("the queue is full");

        errors.ShouldAllBe(error => error!.StartsWith("the queue is full", StringComparison.Ordinal));
        _bus.Count.ShouldBe(0);
    }

    [Fact]
    public async Task Send_NoBatchCanBeCreated_FailsForAll()
    {
        using IMessageSender sender = await CreateAsync();
        _bus.CheckFault = BusFaults.Of(ServiceBusFaultKind.Transient, "the link was detached");

        string?[] errors = await sender.SendAsync(Messages(10, 10, 10), CancellationToken.None);

        errors.ShouldAllBe(error => error!.StartsWith("the link was detached", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Send_Message_HasItsIdItsTypeAndItsTraceContext()
    {
        using IMessageSender sender = await CreateAsync();
        using Activity span = new Activity("publish").SetIdFormat(ActivityIdFormat.W3C).Start();
        span.TraceStateString = "vendor=1";

        await sender.SendAsync(Messages(10), CancellationToken.None);

        ServiceBusMessage sent = _bus.Senders.First().Sent.ShouldHaveSingleItem();
        (sent.MessageId, sent.ContentType).ShouldBe(("id-0", "application/json"));
        sent.ApplicationProperties.ShouldBe(
            [KeyValuePair.Create("traceparent", (object)span.Id!), KeyValuePair.Create("tracestate", (object)"vendor=1")], ignoreOrder: true);
    }

    [Fact]
    public async Task Send_Attributes_AreApplicationProperties()
    {
        using IMessageSender sender = await CreateAsync();
        sender.CheckAttribute("any name", "").ShouldBeNull();

        await sender.SendAsync(
            [.. Messages(1).Select(message => message with { Group = "s-1", DeduplicationId = "d-1", Attributes = [new("tenant", "acme")] })],
            CancellationToken.None);

        ServiceBusMessage sent = _bus.Senders.First().Sent.ShouldHaveSingleItem();
        (sent.MessageId, sent.SessionId, sent.ApplicationProperties["tenant"]).ShouldBe(("d-1", "s-1", (object)"acme"));
    }

    [Fact]
    public async Task Create_Refused_SaysWhatToDoAndDisposesTheSender()
    {
        _bus.CheckFault = BusFaults.Of(ServiceBusFaultKind.NotFound, "There is no such queue.");

        StartupException exception = await Should.ThrowAsync<StartupException>(CreateAsync());

        exception.ExitCode.ShouldBe(ExitCodes.Unavailable);
        exception.Message.ShouldStartWith(
            "Service Bus orders: there is no such entity in the namespace; check Sources:ServiceBus:Queue, or Topic and Subscription. There is no such queue.");
        _bus.Senders.ShouldHaveSingleItem().IsDisposed.ShouldBeTrue();
    }

    [Fact]
    public async Task Create_NothingConfigured_IsAConfigurationError() =>
        await Should.ThrowAsync<ConfigurationException>(Senders.OpenAsync(new ServiceBusSourceFeature(_bus.CreateClient), new ConfigurationBuilder().Build()));

    private Task<IMessageSender> CreateAsync() => Senders.OpenAsync(
        new ServiceBusSourceFeature(_bus.CreateClient),
        new ConfigurationBuilder()
            .AddInMemoryCollection(new Dictionary<string, string?>(StringComparer.Ordinal)
            {
                ["Sources:ServiceBus:FullyQualifiedNamespace"] = "orders.servicebus.windows.net",
                ["Sources:ServiceBus:Queue"] = "orders",
            })
            .Build());

    private static OutgoingMessage[] Messages(params int[] sizes) => [.. sizes.Select((size, number) => new OutgoingMessage($"id-{number}", new byte[size]))];
}
