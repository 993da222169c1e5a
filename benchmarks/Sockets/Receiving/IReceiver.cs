namespace Benchmarks.Sockets.Receiving;

/// <summary>A way to receive messages, under test in a process of its own.</summary>
internal interface IReceiver : IDisposable
{
    /// <summary>The port it receives on; it does so from here on.</summary>
    int Port { get; }

    /// <summary>Whole messages received, checked and handed over. Threads: any.</summary>
    long Received { get; }

    /// <summary>Begins to receive; returns at once.</summary>
    void Start();
}
