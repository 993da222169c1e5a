using System.Collections.Concurrent;
using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Testing;

/// <summary>The test worker's own source, optionally with one defect.</summary>
internal sealed class TestSourceHarness : SourceHarness
{
    private readonly ManualTimeProvider _time = new();
    private readonly MemoryDeadLetters _deadLetters = new();
    private readonly ConcurrentBag<SentMessage> _sent = [];
    private readonly TestSource _source;

    public TestSourceHarness(Func<ReceivedMessage, ReceivedMessage>? broken = null)
    {
        _source = new TestSource(
            new SourceServices
            {
                Route = "orders",
                Services = new ServiceCollection().BuildServiceProvider(),
                DeadLetters = _deadLetters,
                Loggers = new RecordingLog(),
                Time = _time,
                Concurrency = 64,
            });
        Source = broken is null ? _source : new Broken(_source, broken);
    }

    public override IMessageSource Source { get; }

    /// <summary>The least real time that a rule waits; zero for a source that loses what the rule waits for.</summary>
    public TimeSpan? Patience { get; init; }

    internal override TimeSpan MinPatience => Patience ?? base.MinPatience;

    /// <summary>By the harness's own clock: longer than a test can take.</summary>
    public override TimeSpan AbandonDelay => TimeSpan.FromMinutes(1);

    /// <summary>It forgets its messages with the process.</summary>
    public override bool RedeliversAfterCrash => false;

    /// <summary>It has none: the rule must hold all the more.</summary>
    public override bool HoldsConnections => true;

    public override Task InterruptAsync() => Task.CompletedTask;

    public override Task PublishAsync(byte[] body, string? id = null)
    {
        SentMessage message = new(id ?? Guid.NewGuid().ToString(), body, []);
        _sent.Add(message);
        _source.Send(message);
        return Task.CompletedTask;
    }

    public override Task AdvanceAsync(TimeSpan time)
    {
        _time.Advance(time);
        return Task.CompletedTask;
    }

    public override async Task<IReadOnlyList<DeadLetteredMessage>> DeadLettersAsync(int expected)
    {
        await UntilAsync(() => _deadLetters.Messages.Count >= expected, "The dead letters did not arrive.");
        return _deadLetters.Messages;
    }

    public override Task WaitUntilEmptyAsync() => Task.WhenAll(_sent.Select(message => message.WhenSettled)).WaitAsync(TimeSpan.FromSeconds(20));

    private sealed class Broken(IMessageSource source, Func<ReceivedMessage, ReceivedMessage> change) : IMessageSource
    {
        public Task CheckAsync(CancellationToken cancellationToken) => source.CheckAsync(cancellationToken);

        public Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving) =>
            source.ReceiveAsync(new ForwardingIntake(intake, change), stopReceiving);

        public Task CloseAsync(CancellationToken cancellationToken) => source.CloseAsync(cancellationToken);

        public ValueTask DisposeAsync() => source.DisposeAsync();
    }

    /// <summary>A message with one defect.</summary>
    internal sealed class BrokenMessage(ReceivedMessage message) : ReceivedMessage
    {
        public ReadOnlyMemory<byte>? OtherBody { get; init; }

        public string? OtherId { get; init; }

        public Func<Settlement, Settlement>? OtherSettlement { get; init; }

        public override ReadOnlyMemory<byte> Body => OtherBody ?? message.Body;

        public override ReadOnlyMemory<byte> SourceId => OtherId is { } id ? Encoding.UTF8.GetBytes(id) : message.SourceId;

        public override int DeliveryCount => message.DeliveryCount;

        protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) =>
            message.SettleAsync(OtherSettlement?.Invoke(settlement) ?? settlement, cancellationToken);
    }
}
