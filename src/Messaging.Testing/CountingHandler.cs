using System.Text.Json;
using Messaging.Handlers;
using Pipeline.Settlements;

namespace Messaging.Testing;

/// <summary>Completes every message, and counts them.</summary>
internal sealed class CountingHandler(int expected) : IMessageHandler<JsonElement>
{
    private readonly TaskCompletionSource _all = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _count;

    public int Count => Volatile.Read(ref _count);

    /// <summary>Completes with the message that was expected as the last.</summary>
    public Task WhenAll => _all.Task;

    public ValueTask<Settlement> HandleAsync(JsonElement message, MessageInfo info, CancellationToken cancellationToken)
    {
        if (Interlocked.Increment(ref _count) == expected)
        {
            _all.SetResult();
        }

        return ValueTask.FromResult(Settlement.Complete);
    }
}
