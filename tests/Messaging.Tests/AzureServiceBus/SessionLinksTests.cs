using System.Collections.Concurrent;
using Azure.Messaging.ServiceBus;
using Quayside.Messaging.AzureServiceBus;

namespace Messaging.Tests.AzureServiceBus;

/// <summary>Which sessions a run opens, how long it waits for their messages, and that none stays open.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class SessionLinksTests
{
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(10);

    private readonly ManualTimeProvider _time = new();
    private readonly RecordingLog _log = new();
    private readonly ConcurrentQueue<FakeSession> _sessions = new();

    private FakeSession[] Sessions => [.. _sessions];

    /// <summary>One that is on its way when its session closes would be released unprocessed.</summary>
    [Fact]
    public async Task Receive_FirstMessageTakesLongerThanTheIdleTime_IsWaitedFor()
    {
        SessionLinks links = Create(arrival: TimeSpan.FromSeconds(4), messages: 1);

        (await ReceiveAsync(links)).ShouldNotBeNull();

        await links.SettledAsync(call: 0);
        (await ReceiveAsync(links)).ShouldBeNull();
        FakeSession session = _sessions.ShouldHaveSingleItem();
        session.IsOpen.ShouldBeFalse();
        session.Waits.Count.ShouldBe(2);
        session.Waits[0].ShouldBe(TimeSpan.FromSeconds(5));
        session.Waits[1].ShouldBeInRange(TimeSpan.FromSeconds(8), TimeSpan.FromSeconds(9), "Twice the time that a message takes.");
        _log.Entries.ShouldBeEmpty();
    }

    [Fact]
    public async Task Receive_SessionsBringNoMessage_AreAWarning()
    {
        SessionLinks links = Create(arrival: TimeSpan.FromMinutes(1), messages: 1);

        for (int session = 0; session < 4; session++)
        {
            (await ReceiveAsync(links)).ShouldBeNull();
        }

        _log.Entries.ShouldBeEmpty("One, or a few, may be empty by accident.");
        (await ReceiveAsync(links)).ShouldBeNull();
        (await ReceiveAsync(links)).ShouldBeNull();

        string text = _log.Entries.ShouldHaveSingleItem().Text;
        _log.Entries[0].Id.Id.ShouldBe(3314);
        text.ShouldContain("5 sessions in a row");
        text.ShouldContain("MaxDeliveryCount");
        _sessions.Count.ShouldBe(6);
        _sessions.ShouldAllBe(session => !session.IsOpen);
    }

    [Fact]
    public async Task Receive_MessagesArriveImmediately_WaitsForTheIdleTime()
    {
        SessionLinks links = Create(arrival: TimeSpan.Zero, messages: 1);
        (await ReceiveAsync(links)).ShouldNotBeNull();
        await links.SettledAsync(call: 0);

        (await ReceiveAsync(links)).ShouldBeNull();

        _sessions.ShouldHaveSingleItem().Waits[1].ShouldBe(TimeSpan.FromSeconds(2));
    }

    [Fact]
    public async Task Close_SessionsWithoutAMessage_AreClosedAndOneWithAMessageOnceItIsSettled()
    {
        SessionLinks links = Create(arrival: TimeSpan.Zero, messages: 1, calls: 2);
        (await ReceiveAsync(links, call: 0)).ShouldNotBeNull();
        (await ReceiveAsync(links, call: 1)).ShouldNotBeNull();
        await links.SettledAsync(call: 1);
        links.TryReceive(call: 1, out Task<ServiceBusReceivedMessage?>? waiting).ShouldBeTrue();
        await PassingTime.UntilAsync(() => Sessions[1].Waits.Count == 2);

        links.Stop();
        await links.CloseAsync(Task.CompletedTask);

        links.TryReceive(call: 1, out _).ShouldBeFalse();
        await Should.ThrowAsync<OperationCanceledException>(waiting!);
        _sessions.Select(session => session.IsOpen).ShouldBe([true, false], "A message in flight keeps its session.");
        await links.SettledAsync(call: 0);
        _sessions.ShouldAllBe(session => !session.IsOpen);
    }

    [Fact]
    public async Task Close_SessionIsAcceptedDuringTheStop_IsClosed()
    {
        TaskCompletionSource<ServiceBusSessionReceiver> accepting = new();
        SessionLinks links = new(1, _ => accepting.Task, new ServiceBusSourceLog(_log.CreateLogger("test"), "archive", _time), _time);
        links.TryReceive(call: 0, out Task<ServiceBusReceivedMessage?>? receiving).ShouldBeTrue();
        await PassingTime.UntilAsync(() => !receiving!.IsCompleted);

        links.Stop();
        Task closing = links.CloseAsync(Task.CompletedTask);
        FakeSession late = new(_time, TimeSpan.Zero, messages: 0);
        accepting.SetResult(late);
        await closing;

        late.IsOpen.ShouldBeFalse("It would lock its session until the lock ends.");
    }

    [Fact]
    public async Task Close_SessionIsAcceptedAfterIt_IsClosed()
    {
        TaskCompletionSource<ServiceBusSessionReceiver> accepting = new();
        SessionLinks links = new(1, _ => accepting.Task, new ServiceBusSourceLog(_log.CreateLogger("test"), "archive", _time), _time);
        links.TryReceive(call: 0, out Task<ServiceBusReceivedMessage?>? receiving).ShouldBeTrue();
        links.Stop();
        Task closing = links.CloseAsync(Task.CompletedTask);
        await _time.PassUntilAsync(TimeSpan.FromSeconds(1), () => closing.IsCompleted);

        FakeSession late = new(_time, TimeSpan.Zero, messages: 0);
        accepting.SetResult(late);
        await PassingTime.UntilAsync(() => receiving!.IsCompleted);

        late.IsOpen.ShouldBeFalse("It would lock its session until the lock ends.");
    }

    private SessionLinks Create(TimeSpan arrival, int messages, int calls = 1) => new(
        calls,
        _ =>
        {
            FakeSession session = new(_time, arrival, messages);
            _sessions.Enqueue(session);
            return Task.FromResult<ServiceBusSessionReceiver>(session);
        },
        new ServiceBusSourceLog(_log.CreateLogger("test"), "archive", _time),
        _time);

    private async Task<ServiceBusReceivedMessage?> ReceiveAsync(SessionLinks links, int call = 0)
    {
        links.TryReceive(call, out Task<ServiceBusReceivedMessage?>? receiving).ShouldBeTrue();
        await _time.PassUntilAsync(Step, () => receiving!.IsCompleted);
        return await receiving!;
    }
}
