namespace Messaging.Handlers.Batches;

/// <summary>One batch from its first message to the end of its handler. Guarded by the collector's lock until it is closed.</summary>
internal sealed class BatchRun<T>(BatchCollector<T> collector, MessageBatch<T> batch, long deadline) : IThreadPoolWorkItem
{
    public MessageBatch<T> Batch { get; } = batch;

    /// <summary>When it is closed at the latest, as a timestamp.</summary>
    public long Deadline { get; } = deadline;

    /// <summary>False once nothing joins it any more.</summary>
    public bool IsOpen { get; set; } = true;

    /// <summary>Ends the handler's work. Not disposed: a handler that ignores it may still look at it.</summary>
    public CancellationTokenSource Cancellation { get; } = new();

    void IThreadPoolWorkItem.Execute() => _ = collector.RunAsync(this);
}
