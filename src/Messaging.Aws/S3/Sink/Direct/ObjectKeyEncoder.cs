using System.Buffers;
using System.Text;

namespace Messaging.Aws.S3.Sink.Direct;

/// <summary>
/// Encodes an object's key as S3's canonical request does, so that the sent and the signed text are the same: every byte except the
/// unreserved ones and the slash as <c>%XX</c> in capitals. Nothing is normalised: <c>//</c> and dot segments are part of a key.
/// Source: "Create a signed AWS API request", IAM user guide (UriEncode).
/// </summary>
internal static class ObjectKeyEncoder
{
    private static readonly SearchValues<byte> Plain =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"u8);

    /// <summary>The number of characters that <see cref="Encode"/> writes.</summary>
    public static int LengthOf(ReadOnlySpan<byte> key)
    {
        int length = key.Length;
        for (int special = key.IndexOfAnyExcept(Plain); special >= 0; special = key.IndexOfAnyExcept(Plain))
        {
            length += 2;
            key = key[(special + 1)..];
        }

        return length;
    }

    /// <summary>Writes the encoded key; <paramref name="target"/> is exactly <see cref="LengthOf"/> long.</summary>
    public static void Encode(ReadOnlySpan<byte> key, Span<char> target)
    {
        while (true)
        {
            int plain = key.IndexOfAnyExcept(Plain);
            plain = plain < 0 ? key.Length : plain;
            Ascii.ToUtf16(key[..plain], target, out _);
            if (plain == key.Length)
            {
                return;
            }

            target[plain] = '%';
            target[plain + 1] = "0123456789ABCDEF"[key[plain] >> 4];
            target[plain + 2] = "0123456789ABCDEF"[key[plain] & 15];
            key = key[(plain + 1)..];
            target = target[(plain + 3)..];
        }
    }
}
