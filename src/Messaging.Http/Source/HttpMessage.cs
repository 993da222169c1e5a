using System.Diagnostics;
using System.Threading.Tasks.Sources;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Http.Source;

/// <summary>
/// A message whose caller waits for the answer. Pooled: 0 B per message once the pool is warm. The request owns it and lends it to the route from
/// <see cref="SlotLease.Accept(ReceivedMessage)"/> until the settlement. The request waits for the settlement even if its connection closes, so the bytes are
/// not released while in use.
/// </summary>
internal sealed class HttpMessage(HttpMessageSource source) : ReceivedMessage, IValueTaskSource<Settlement>
{
    private readonly byte[] _id = new byte[MessageIds.MaxLength];
    private int _idLength;
    private PooledBuffer? _body;
    private DateTimeOffset _enqueuedAt;
    private int _delivery = 1;
    private ActivityContext _creation;
    private IReadOnlyList<KeyValuePair<string, string>> _attributes = [];

    // The request continues on the thread pool: a settling thread must not write answers.
    private ManualResetValueTaskSourceCore<Settlement> _outcome = new() { RunContinuationsAsynchronously = true };

    public override ReadOnlyMemory<byte> Body => (_body ?? throw new ObjectDisposedException(nameof(HttpMessage))).WrittenMemory;

    public override ReadOnlyMemory<byte> SourceId => _id.AsMemory(0, _idLength);

    public override int DeliveryCount => _delivery;

    public override DateTimeOffset? EnqueuedAt => _enqueuedAt;

    public override IReadOnlyList<KeyValuePair<string, string>> Attributes => _attributes;

    public override ActivityContext CreationContext => _creation;

    public override bool IsSentAgainByCaller => true;

    /// <summary>The line of an NDJSON request, from 1; 0 for a single body.</summary>
    public int Line { get; private set; }

    /// <summary>The names of headers are the same in any case.</summary>
    public override string? FindAttribute(string name)
    {
        foreach ((string key, string value) in _attributes)
        {
            if (string.Equals(key, name, StringComparison.OrdinalIgnoreCase))
            {
                return value;
            }
        }

        return null;
    }

    /// <summary>Fills a cleared message, which then owns the body.</summary>
    public void Open(
        PooledBuffer body, string? givenId, int line, IReadOnlyList<KeyValuePair<string, string>> attributes, DateTimeOffset now, ActivityContext creation)
    {
        _creation = creation;
        _attributes = attributes;
        _body = body;
        _idLength = MessageIds.Write(givenId, line, body.WrittenSpan, _id);
        Line = line;
        _delivery = source.Redeliveries.Count(SourceId.Span, body.WrittenSpan, out DateTimeOffset? first);
        _enqueuedAt = first ?? now;
        ResetSettlement();
    }

    /// <summary>Waits for the settlement; await it only once.</summary>
    public ValueTask<Settlement> SettledAsync() => new(this, _outcome.Version);

    /// <summary>Returns the body to its pool and completes <see cref="SettledAsync"/>. The waiting request may then reuse this object immediately.</summary>
    public void Conclude(in Settlement settlement)
    {
        source.Redeliveries.Settled(SourceId.Span, Body.Span, _delivery, settlement, _enqueuedAt);
        _body?.Dispose();
        _body = null;
        _outcome.SetResult(settlement);
    }

    /// <summary>Clears every field. The message stays settled until <see cref="Open"/>, so that a second settlement still throws.</summary>
    public void Clear()
    {
        _body?.Dispose();
        _body = null;
        _idLength = 0;
        Line = 0;
        _enqueuedAt = default;
        _delivery = 1;
        _creation = default;
        _attributes = [];
        _outcome.Reset();
    }

    Settlement IValueTaskSource<Settlement>.GetResult(short token) => _outcome.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<Settlement>.GetStatus(short token) => _outcome.GetStatus(token);

    void IValueTaskSource<Settlement>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _outcome.OnCompleted(continuation, state, token, flags);

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken)
    {
        if (settlement.Kind == SettlementKind.DeadLetter)
        {
            // The token ends only the wait: the write continues and keeps the body until it has ended.
            return new ValueTask(source.DeadLetterAsync(this, settlement).WaitAsync(cancellationToken));
        }

        Conclude(settlement);
        return default;
    }
}
