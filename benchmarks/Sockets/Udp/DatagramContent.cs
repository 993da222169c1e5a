using System.Text;
using Quayside.Messaging.Sockets.Udp;

namespace Benchmarks.Sockets.Udp;

/// <summary>
/// What a sender sends repeatedly: 64 texts, each followed by a Fletcher-32 trailer. The whole datagram is ASCII, including the
/// trailer, since the article's receivers decode it as text, and other bytes would cost them a slower path.
/// </summary>
internal static class DatagramContent
{
    /// <summary>The number of different datagrams; the first byte identifies one.</summary>
    public const int Count = 64;

    /// <summary>The first byte of the first one.</summary>
    public const char First = '0';

    /// <summary>Fills <paramref name="datagram"/>, trailer included.</summary>
    public static void Write(Span<byte> datagram, int index)
    {
        Span<byte> text = datagram[..^Fletcher32.TrailerLength];
        Span<byte> trailer = datagram[^Fletcher32.TrailerLength..];
        text[0] = (byte)(First + index);

        // One text in sixteen has an ASCII trailer: letters are drawn until it has.
        uint draw = (uint)index;
        for (int attempt = 0; attempt < 10_000; attempt++)
        {
            for (int at = 1; at < text.Length; at++)
            {
                draw = unchecked((draw * 1_664_525) + 1_013_904_223);
                text[at] = (byte)('a' + ((draw >> 16) % 26));
            }

            Fletcher32.WriteTrailer(text, trailer);
            if (Ascii.IsValid(trailer))
            {
                return;
            }
        }

        throw new InvalidOperationException($"No text of {text.Length} bytes for datagram {index} has an ASCII trailer.");
    }
}
