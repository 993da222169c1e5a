using System.Net;

namespace Quayside.Messaging.Sockets.Udp;

/// <summary>Receives datagrams from a socket into buffers that are allocated once. Threads: one. 0 B per datagram.</summary>
internal interface IDatagramReceiver
{
    /// <summary>
    /// The maximum number of datagrams of one receive, of any receiver. A system call costs about as much as copying a datagram, so 64 make its share small.
    /// The buffers reserve 64 times the message limit as address space; only the pages that datagrams touch take memory.
    /// </summary>
    const int LargestBatch = 64;

    /// <summary>The maximum number of datagrams of one <see cref="Receive"/>.</summary>
    int BatchSize { get; }

    /// <summary>The datagram <paramref name="index"/> of the last receive.</summary>
    Datagram this[int index] { get; }

    /// <summary>Receives the waiting datagrams, at most <paramref name="max"/>; never blocks.</summary>
    /// <returns>How many were received; 0 when none waits.</returns>
    /// <exception cref="System.ComponentModel.Win32Exception">The socket is broken.</exception>
    int Receive(int max);

    /// <summary>Waits briefly after a receive has emptied the socket, so that the next one returns many datagrams, not just the first.</summary>
    void LetGather();

    /// <summary>The sender of the datagram <paramref name="index"/> of the last receive, for logs; null when unknown. Allocates.</summary>
    EndPoint? SenderOf(int index);
}

/// <summary>One datagram as received; valid until the next receive.</summary>
/// <param name="bytes">Its bytes, possibly none; only the first ones when it is truncated.</param>
/// <param name="length">Its length as sent, in bytes; where the system does not tell that of a truncated one, one more than the limit.</param>
internal readonly ref struct Datagram(ReadOnlySpan<byte> bytes, int length)
{
    public ReadOnlySpan<byte> Bytes { get; } = bytes;

    public int Length { get; } = length;

    /// <summary>True when it was longer than the limit.</summary>
    public bool IsTruncated => Length > Bytes.Length;
}
