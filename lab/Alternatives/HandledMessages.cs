using System.Text.Json;
using Benchmarks.Keys;

namespace Lab.Alternatives;

/// <summary>The handler's work for runners that have only a body. Counts what it has handled. Threads: any.</summary>
internal sealed class HandledMessages(WorkKind work)
{
    // A reader of headers serves one thread at a time, as a slot of the worker does.
    private readonly ThreadLocal<WorkerKey> _key = new(() => WorkerKey.Full());

    private long _left;
    private TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Sets the number of messages after which the task completes.</summary>
    public Task Expect(int messages)
    {
        _done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Volatile.Write(ref _left, messages);
        return _done.Task;
    }

    public ValueTask HandleAsync(byte[] body)
    {
        switch (work)
        {
            case WorkKind.Key:
                Require(_key.Value!.Length(body) > 0);
                Count();
                return default;
            case WorkKind.Suspending:
                return SuspendAsync(body);
            default:
                Check(body);
                Count();
                return default;
        }
    }

    /// <summary>Counts one message as handled.</summary>
    public void Count()
    {
        if (Interlocked.Decrement(ref _left) == 0)
        {
            _done.SetResult();
        }
    }

    private static void Check(byte[] body) => Require(JsonSerializer.Deserialize(body, KeyMessageContext.Default.KeyMessage)?.MessageId is not null);

    private static void Require(bool isHandled)
    {
        if (!isHandled)
        {
            throw new InvalidOperationException("The message has no id.");
        }
    }

    private async ValueTask SuspendAsync(byte[] body)
    {
        Check(body);
        await Task.Yield();
        Count();
    }
}
