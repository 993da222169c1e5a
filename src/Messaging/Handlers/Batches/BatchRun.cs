namespace Messaging.Handlers.Batches;

/// <summary>One batch from its first message to the end of its handler. Guarded by the collector's lock until it is closed.</summary>
internal sealed class BatchRun<T>(BatchCollector<T> collector, MessageBatch<T> batch, long deadline) : IThreadPoolWorkItem
{
    public MessageBatch<T> Batch { get; } = batch;

    /// <summary>The latest time to close it, as a timestamp.</summary>
    public long Deadline { get; } = deadline;

    /// <summary>False once it is closed to further messages.</summary>
    public bool IsOpen { get; set; } = true;

    /// <summary>Cancels the handler. Not disposed: a handler that ignores it may still use the token.</summary>
    public CancellationTokenSource Cancellation { get; } = new();

    void IThreadPoolWorkItem.Execute() => _ = collector.RunAsync(this);
}
