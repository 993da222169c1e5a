using System.Text.Json;
using Quayside.Messaging.Handlers;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Testing;

/// <summary>Completes every message and counts it, together with the messages that ended otherwise.</summary>
internal sealed class CountingHandler(int expected) : IMessageHandler<JsonElement>
{
    private readonly TaskCompletionSource _all = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _count;

    public int Count => Volatile.Read(ref _count);

    /// <summary>Completes when the expected number of messages is counted.</summary>
    public Task WhenAll => _all.Task;

    public void Add()
    {
        if (Interlocked.Increment(ref _count) == expected)
        {
            _all.SetResult();
        }
    }

    public ValueTask<Settlement> HandleAsync(JsonElement message, MessageInfo info, CancellationToken cancellationToken)
    {
        Add();
        return ValueTask.FromResult(Settlement.Complete);
    }
}
