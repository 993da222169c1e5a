using System.Buffers.Binary;

namespace Quayside.Messaging.Sources.Channels;

/// <summary>
/// Version 7 UUIDs (RFC 9562): 48 bits of time, 62 random ones and a count of 12. <see cref="Guid.CreateVersion7(DateTimeOffset)"/> asks the
/// operating system for random bits, which costs half a microsecond per id; these need not be unpredictable, only unique, so a thread draws
/// them once for 4,096 ids. Threads: any.
/// </summary>
internal static class MessageIds
{
    private const int UuidBytes = 16;
    private const int TimeBits = 48;
    private const int CountMask = 0xFFF;
    private const long Version7 = 0x7000;
    private const long Variant = 1L << 63;

    [ThreadStatic]
    private static int _count;

    [ThreadStatic]
    private static int _high;

    [ThreadStatic]
    private static long _low;

    public static Guid Create(DateTimeOffset now)
    {
        int count = _count++ & CountMask;
        if (count == 0)
        {
#pragma warning disable RS0030 // Not a delay.
            _high = Random.Shared.Next(CountMask + 1);
            _low = (Random.Shared.NextInt64() >>> 1) & ~CountMask;
#pragma warning restore RS0030
        }

        Span<byte> id = stackalloc byte[UuidBytes];
        BinaryPrimitives.WriteInt64BigEndian(id, (now.ToUnixTimeMilliseconds() << (64 - TimeBits)) | Version7 | (long)_high);
        BinaryPrimitives.WriteInt64BigEndian(id[sizeof(long)..], Variant | _low | (long)count);
        return new Guid(id, bigEndian: true);
    }
}
