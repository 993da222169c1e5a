using System.Net;

namespace Messaging.Sockets.Udp;

/// <summary>Takes datagrams from a socket into buffers that are made once. Threads: one. 0 B a datagram.</summary>
internal interface IDatagramReceiver
{
    /// <summary>
    /// The most datagrams of one receive, of any receiver. A system call costs about as much as a datagram's copy, so 64 make its
    /// share small; the buffers take 64 times the limit of addresses, and of memory as much as the datagrams touched.
    /// </summary>
    const int LargestBatch = 64;

    /// <summary>The most datagrams of one <see cref="Receive"/>.</summary>
    int BatchSize { get; }

    /// <summary>The datagram <paramref name="index"/> of the last receive.</summary>
    Datagram this[int index] { get; }

    /// <summary>Takes what waits, at most <paramref name="max"/> datagrams; never blocks.</summary>
    /// <returns>How many were taken; 0 when none waits.</returns>
    /// <exception cref="System.ComponentModel.Win32Exception">The socket is broken.</exception>
    int Receive(int max);

    /// <summary>Waits a moment, after a receive that left nothing, so that the next one brings many datagrams and not the first of them.</summary>
    void LetGather();

    /// <summary>Who sent the datagram <paramref name="index"/> of the last receive, for logs; null when the system did not say. Allocates.</summary>
    EndPoint? SenderOf(int index);
}

/// <summary>One datagram as received; a borrow that ends with the next receive.</summary>
/// <param name="bytes">Its bytes, may be empty; only the first ones when it is truncated.</param>
/// <param name="isTruncated">True when it was longer than the limit.</param>
internal readonly ref struct Datagram(ReadOnlySpan<byte> bytes, bool isTruncated)
{
    public ReadOnlySpan<byte> Bytes { get; } = bytes;

    public bool IsTruncated { get; } = isTruncated;
}
