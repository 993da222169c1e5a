namespace Messaging.Sinks.Bundles;

/// <summary>Compares keys byte by byte. A span can look up a prefix, so that only new prefixes are copied.</summary>
internal sealed class ByteKeys : IEqualityComparer<byte[]>, IAlternateEqualityComparer<ReadOnlySpan<byte>, byte[]>, IEqualityComparer<ReadOnlyMemory<byte>>
{
    public static readonly ByteKeys Comparer = new();

    public bool Equals(byte[]? x, byte[]? y) => x.AsSpan().SequenceEqual(y);

    public int GetHashCode(byte[] obj) => Hash(obj);

    public bool Equals(ReadOnlySpan<byte> alternate, byte[] other) => alternate.SequenceEqual(other);

    public int GetHashCode(ReadOnlySpan<byte> alternate) => Hash(alternate);

    public byte[] Create(ReadOnlySpan<byte> alternate) => alternate.ToArray();

    public bool Equals(ReadOnlyMemory<byte> x, ReadOnlyMemory<byte> y) => x.Span.SequenceEqual(y.Span);

    public int GetHashCode(ReadOnlyMemory<byte> obj) => Hash(obj.Span);

    // HashCode has a random seed per process, so senders cannot choose ids that fall into one hash bucket.
    private static int Hash(ReadOnlySpan<byte> bytes)
    {
        HashCode hash = default;
        hash.AddBytes(bytes);
        return hash.ToHashCode();
    }
}
