using System.Buffers;
using System.Security.Cryptography;

namespace Quayside.Messaging.Objects;

/// <summary>Whether a stored object holds certain bytes.</summary>
internal static class ObjectComparison
{
    private const int Chunk = 64 * 1024;

    /// <summary>
    /// True when the ETag is the MD5 of the bytes. Another kind of ETag (KMS or customer keys, parts, directory buckets) never equals it by
    /// chance. A different ETag proves nothing, and a collision makes the message a dead letter, so the bytes must then be compared.
    /// </summary>
    public static bool IsMd5Of(string? etag, ReadOnlySpan<byte> body)
    {
        ReadOnlySpan<char> text = etag.AsSpan().Trim('"');
        Span<byte> given = stackalloc byte[MD5.HashSizeInBytes];
        if (text.Length != 2 * MD5.HashSizeInBytes || Convert.FromHexString(text, given, out _, out _) != OperationStatus.Done)
        {
            return false;
        }

        Span<byte> actual = stackalloc byte[MD5.HashSizeInBytes];
        MD5.HashData(body, actual);
        return given.SequenceEqual(actual);
    }

    /// <summary>
    /// True when the stream holds exactly these bytes, false when one differs, null when it ends early or goes on: HEAD reported the body's length, so such an
    /// answer is cut or not the object's, and proves nothing. Reads to the end or the first difference.
    /// </summary>
    public static async ValueTask<bool?> HasBytesAsync(Stream stream, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        byte[] chunk = ArrayPool<byte>.Shared.Rent(Chunk);
        try
        {
            while (true)
            {
                int read = await stream.ReadAsync(chunk, cancellationToken);
                if (read == 0)
                {
                    return body.IsEmpty ? true : null;
                }

                int compared = Math.Min(read, body.Length);
                if (!body.Span[..compared].SequenceEqual(chunk.AsSpan(0, compared)))
                {
                    return false;
                }

                if (read > compared)
                {
                    return null;
                }

                body = body[read..];
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(chunk);
        }
    }
}
