using System.Security.Cryptography;

namespace Quayside.Messaging.Sources;

/// <summary>
/// An id derived from a message's bytes, for sources whose messages have no id: the same bytes give the same id, and so the same object.
/// Messages that are meant to be different must therefore differ in their bytes.
/// </summary>
internal static class ContentId
{
    /// <summary>The id's length: lower-case hexadecimal digits.</summary>
    public const int Length = 2 * HashBytes;

    // 128 bits of SHA-256: the chance that two of 10^12 different messages share an id is below 10^-14.
    private const int HashBytes = 16;

    /// <summary>Writes the id of <paramref name="body"/> into the first <see cref="Length"/> bytes of <paramref name="destination"/>.</summary>
    public static void Write(ReadOnlySpan<byte> body, Span<byte> destination)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(body, hash);
        Convert.TryToHexStringLower(hash[..HashBytes], destination[..Length], out _);
    }
}
