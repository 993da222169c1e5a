namespace Messaging.Sockets.Udp;

/// <summary>One datagram as received; a borrow that ends with the next receive.</summary>
/// <param name="bytes">Its bytes, may be empty; only the first ones when it is truncated.</param>
/// <param name="isTruncated">True when it was longer than the limit.</param>
internal readonly ref struct Datagram(ReadOnlySpan<byte> bytes, bool isTruncated)
{
    public ReadOnlySpan<byte> Bytes { get; } = bytes;

    public bool IsTruncated { get; } = isTruncated;
}
