namespace Benchmarks.Sockets.Receiving;

/// <summary>A way to receive messages, under test in a process of its own.</summary>
internal interface IReceiver : IDisposable
{
    /// <summary>The port it receives on; it is bound from the start.</summary>
    int Port { get; }

    /// <summary>Whole messages received, checked and handed over. Threads: any.</summary>
    long Received { get; }

    /// <summary>Starts receiving; returns immediately.</summary>
    void Start();
}
