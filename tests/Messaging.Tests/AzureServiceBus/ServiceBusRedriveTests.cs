using Quayside.Messaging.AzureServiceBus;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Publishing;

namespace Messaging.Tests.AzureServiceBus;

public sealed class ServiceBusRedriveTests
{
    // A page of dead letters that a redrive looks at.
    private const int PageSize = 250;

    private static readonly RedriveRequest All = new(Reason: null, Max: int.MaxValue, DryRun: false, Url: null, Route: null);

    private readonly FakeLetters _letters = new();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Run_MessageIsDeadLetteredAgain_IsReportedWhicheverNewcomerItIs(int again)
    {
        Add(3);
        _letters.Again.UnionWith(Enumerable.Range(1, again).Select(Name));

        RedriveResult result = await RunAsync(All);

        (result.Found, result.Sent, result.AgainCount).ShouldBe((3, 3, again));
        result.Again.Select(line => line.Split(':')[0]).ShouldBe(Enumerable.Range(1, again).Select(Name));
        result.Notes.ShouldBeEmpty();
        _letters.Count.ShouldBe(again, "A message that is dead-lettered again stays.");
    }

    [Theory]
    [InlineData(PageSize - 1)]
    [InlineData(PageSize)]
    [InlineData(PageSize + 1)]
    [InlineData((2 * PageSize) + 1)]
    public async Task Run_SeveralPages_EachDeadLetterIsFoundOnce(int count)
    {
        Add(count);

        RedriveResult result = await RunAsync(All with { DryRun = true });

        result.Found.ShouldBe(count);
    }

    [Fact]
    public async Task Run_CompletionFailsTwice_IsTriedAThirdTime()
    {
        Add(1);
        _letters.FailComplete = attempt => attempt < 2 ? BusFaults.Of(ServiceBusFaultKind.Transient, "busy") : null;

        RedriveResult result = await RunAsync(All);

        (result.Sent, result.LeftCount, _letters.Completions, _letters.Count).ShouldBe((1, 0, 3, 0));
    }

    [Fact]
    public async Task Run_CompletionFails_IsReportedAfterThreeAttempts()
    {
        Add(1);
        _letters.FailComplete = _ => BusFaults.Of(ServiceBusFaultKind.Transient, "busy");

        RedriveResult result = await RunAsync(All);

        (result.Found, result.Sent, result.LeftCount, _letters.Completions).ShouldBe((1, 0, 1, 3));
        result.Left.ShouldHaveSingleItem().ShouldStartWith("m-1: sent, but not deleted: busy");
    }

    [Theory]
    [InlineData(nameof(ServiceBusFaultKind.Transient), 5)]
    [InlineData(nameof(ServiceBusFaultKind.TooLarge), 7)]
    public async Task Run_QueueTakesNoMessage_CompletesNoneAndEndsUnlessTheMessagesAreAtFault(string kind, int tried)
    {
        Add(7);
        _letters.FailSend = BusFaults.Of(kind, "no");

        RedriveResult result = await RunAsync(All);

        (result.Sent, result.LeftCount, _letters.Completions, _letters.Count).ShouldBe((0, tried, 0, 7));
        result.Ended?.ShouldStartWith("5 sends in a row failed.");
        (result.Ended is null).ShouldBe(tried == 7);
    }

    /// <summary>A defect of the worker's own is no failed send.</summary>
    [Theory]
    [InlineData(typeof(NullReferenceException))]
    [InlineData(typeof(InvalidOperationException))]
    public async Task Run_SendingHasADefect_EndsWithIt(Type defect)
    {
        Add(2);
        _letters.FailSend = (Exception)Activator.CreateInstance(defect, "a defect")!;

        (await Should.ThrowAsync(() => RunAsync(All), defect)).Message.ShouldBe("a defect");

        (_letters.Completions, _letters.Count).ShouldBe((0, 2));
    }

    [Theory]
    [InlineData(typeof(IOException))]
    [InlineData(typeof(TimeoutException))]
    [InlineData(typeof(System.Net.WebSockets.WebSocketException))]
    [InlineData(typeof(UnauthorizedAccessException))]
    [InlineData(typeof(ArgumentException))]
    [InlineData(typeof(InvalidOperationException))]
    public async Task Run_TransportFailsOrTheBrokerRefuses_IsAFailedSend(Type fault)
    {
        Add(1);
        _letters.FailSend = (Exception)Activator.CreateInstance(fault, "The SessionId was not set. TrackingId:9a5b_B7, SystemTracker:orders")!;

        RedriveResult result = await RunAsync(All);

        (result.Sent, result.LeftCount, _letters.Count).ShouldBe((0, 1, 1));
    }

    [Fact]
    public async Task Run_AnotherReceiverHasLockedSome_SaysThatTheyCouldNotBeReceived()
    {
        Add(3);
        _letters.Lock(2);

        RedriveResult result = await RunAsync(All);

        (result.Found, result.Sent, result.IsComplete).ShouldBe((3, 2, false));
        result.Ended.ShouldNotBeNull().ShouldStartWith("1 dead letter(s) could not be received: another receiver");
    }

    private static string Name(int number) => $"m-{number}";

    private void Add(int count)
    {
        for (int number = 1; number <= count; number++)
        {
            _letters.Add(Name(number));
        }
    }

    private async Task<RedriveResult> RunAsync(RedriveRequest request)
    {
        ManualTimeProvider time = new();
        await using ServiceBusDeadLetterQueue queue = new(_letters, new ServiceBusSourceOptions { Queue = "orders" }, request, time);
        return await new DeadLetterMover(queue, request, new CommandServices(time, TextWriter.Null, TextWriter.Null)).RunAsync(
            TestContext.Current.CancellationToken);
    }
}
