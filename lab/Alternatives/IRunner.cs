namespace Lab.Alternatives;

/// <summary>Hands messages from a publisher to a handler. Threads: one call at a time.</summary>
internal interface IRunner : IAsyncDisposable
{
    /// <summary>Publishes messages from one task and completes when all are handled.</summary>
    Task RunAsync(byte[] body, int messages);
}
