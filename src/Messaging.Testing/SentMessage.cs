using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Testing;

/// <summary>A message that was sent to a <see cref="TestWorker"/>, and what became of it. Threads: any.</summary>
public sealed class SentMessage
{
    private readonly TaskCompletionSource<Settlement> _settled = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _delivered = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _lock = new();
    private readonly List<Settlement> _settlements = [];

    internal SentMessage(string id, byte[] body, IReadOnlyList<KeyValuePair<string, string>> attributes)
    {
        Id = id;
        Body = body;
        Attributes = attributes;
    }

    /// <summary>The message's id.</summary>
    public string Id { get; }

    /// <summary>The settlement of each delivery so far, in order.</summary>
    public IReadOnlyList<Settlement> Settlements
    {
        get
        {
            lock (_lock)
            {
                return [.. _settlements];
            }
        }
    }

    /// <summary>Completes when the first delivery is settled, in whatever way.</summary>
    public Task WhenDelivered => _delivered.Task;

    /// <summary>Completes when the message is completed or dead-lettered; cancelled when the worker stops before that.</summary>
    public Task<Settlement> WhenSettled => _settled.Task;

    internal byte[] Body { get; }

    internal IReadOnlyList<KeyValuePair<string, string>> Attributes { get; }

    internal string? Group { get; init; }

    internal int Deliveries { get; set; }

    /// <summary>When it was delivered first; null before.</summary>
    internal DateTimeOffset? FirstDelivered { get; set; }

    internal void Add(in Settlement settlement)
    {
        lock (_lock)
        {
            _settlements.Add(settlement);
        }

        _delivered.TrySetResult();
    }

    internal void End(in Settlement settlement) => _settled.TrySetResult(settlement);

    internal void Cancel()
    {
        _settled.TrySetCanceled();
        _delivered.TrySetCanceled();
    }
}
