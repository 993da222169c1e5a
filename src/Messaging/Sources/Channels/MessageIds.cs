using System.Buffers.Binary;

namespace Messaging.Sources.Channels;

/// <summary>
/// Version 7 UUIDs (RFC 9562): 48 bits of time and 74 random ones. <see cref="Guid.CreateVersion7(DateTimeOffset)"/> asks the operating
/// system for random bits, which costs half a microsecond per id; these need not be unpredictable, only unique. Threads: any.
/// </summary>
internal static class MessageIds
{
    private const int UuidBytes = 16;
    private const int TimeBytes = 6;

    public static Guid Create(DateTimeOffset now)
    {
        Span<byte> id = stackalloc byte[UuidBytes];
        BinaryPrimitives.WriteInt64BigEndian(id, now.ToUnixTimeMilliseconds() << 16);
#pragma warning disable RS0030 // Not a delay.
        Random.Shared.NextBytes(id[TimeBytes..]);
#pragma warning restore RS0030
        id[6] = (byte)((id[6] & 0x0F) | 0x70);
        id[8] = (byte)((id[8] & 0x3F) | 0x80);
        return new Guid(id, bigEndian: true);
    }
}
