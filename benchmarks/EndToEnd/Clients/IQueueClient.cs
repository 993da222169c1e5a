namespace Benchmarks.EndToEnd.Clients;

/// <summary>The queue as a twin sees it. Threads: any.</summary>
internal interface IQueueClient
{
    /// <summary>Receives a batch; empty when none came.</summary>
    Task<SqsShapes.Received[]> ReceiveAsync();

    /// <summary>Deletes a batch.</summary>
    /// <exception cref="InvalidOperationException">A message was not deleted.</exception>
    Task DeleteAsync(SqsShapes.Received[] messages);
}
