using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Quayside.Messaging.Sockets.Udp;

/// <summary>
/// Fletcher's checksum of 32 bits (J. G. Fletcher, "An Arithmetic Checksum for Serial Transmissions", 1982): sums modulo 65,535 of the 16-bit little-endian
/// words, both starting at 0; an odd last byte is the low byte of a word. The result is sum2 * 65,536 + sum1. It detects damage, not forgery; any number of
/// zeros sums to zero.
/// </summary>
internal static class Fletcher32
{
    /// <summary>Bytes of the checksum after the message in a datagram: big-endian, like network headers.</summary>
    public const int TrailerLength = 4;

    private const uint Modulus = 65_535;
    private const int WordsPerVector = 8;

    // A lane holds at most words * 65,535 in the first sum and vectors^2 / 2 * 65,535 in the second: at 256 vectors 2^31.
    private const int VectorsPerBlock = 256;

    private static readonly Vector256<uint> Weights = Vector256.Create(8u, 7, 6, 5, 4, 3, 2, 1);

    /// <summary>The checksum of <paramref name="data"/>; 0 for no bytes.</summary>
    public static uint Compute(ReadOnlySpan<byte> data)
    {
        ulong sum1 = 0;
        ulong sum2 = 0;
        ReadOnlySpan<byte> rest = data;
        if (Vector128.IsHardwareAccelerated && BitConverter.IsLittleEndian)
        {
            while (rest.Length >= WordsPerVector * sizeof(ushort))
            {
                int vectors = Math.Min(rest.Length / (WordsPerVector * sizeof(ushort)), VectorsPerBlock);
                int bytes = vectors * WordsPerVector * sizeof(ushort);
                AddBlock(MemoryMarshal.Cast<byte, ushort>(rest[..bytes]), ref sum1, ref sum2);
                rest = rest[bytes..];
            }
        }

        return ComputeRest(rest, sum1, sum2);
    }

    /// <summary>Writes the checksum of a message as its trailer.</summary>
    /// <param name="message">The message's bytes.</param>
    /// <param name="trailer">At least <see cref="TrailerLength"/> bytes.</param>
    public static void WriteTrailer(ReadOnlySpan<byte> message, Span<byte> trailer) => BinaryPrimitives.WriteUInt32BigEndian(trailer, Compute(message));

    /// <summary>Verifies a message with its trailer; false also for a datagram shorter than a trailer.</summary>
    public static bool TryVerify(ReadOnlySpan<byte> datagram, out ReadOnlySpan<byte> message)
    {
        if (datagram.Length < TrailerLength)
        {
            message = default;
            return false;
        }

        message = datagram[..^TrailerLength];
        return Compute(message) == BinaryPrimitives.ReadUInt32BigEndian(datagram[^TrailerLength..]);
    }

    // With n words in a block: sum1 grows by all of them, sum2 by n times the old sum1 and by each word as often as it and its
    // successors are counted. Lane by lane: `later` adds up the words of earlier vectors once for each vector that follows.
    private static void AddBlock(ReadOnlySpan<ushort> words, ref ulong sum1, ref ulong sum2)
    {
        Vector256<uint> sums = Vector256<uint>.Zero;
        Vector256<uint> later = Vector256<uint>.Zero;
        ReadOnlySpan<ushort> rest = words;
        while (rest.Length >= WordsPerVector)
        {
            Vector128<ushort> next = Vector128.Create(rest);
            later += sums;
            sums += Vector256.Create(Vector128.WidenLower(next), Vector128.WidenUpper(next));
            rest = rest[WordsPerVector..];
        }

        sum2 += ((ulong)words.Length * sum1) + (WordsPerVector * Sum(later)) + Sum(sums * Weights);
        sum1 += Sum(sums);
        sum1 %= Modulus;
        sum2 %= Modulus;
    }

    private static ulong Sum(Vector256<uint> lanes)
    {
        (Vector256<ulong> lower, Vector256<ulong> upper) = Vector256.Widen(lanes);
        return Vector256.Sum(lower + upper);
    }

    private static uint ComputeRest(ReadOnlySpan<byte> data, ulong sum1, ulong sum2)
    {
        // Without vectors this handles the whole message; 64 bits hold its sums without a reduction: 2^16 words give less than 2^48.
        ReadOnlySpan<byte> rest = data;
        while (rest.Length >= sizeof(ushort))
        {
            sum1 += BinaryPrimitives.ReadUInt16LittleEndian(rest);
            sum2 += sum1;
            rest = rest[sizeof(ushort)..];
        }

        if (!rest.IsEmpty)
        {
            sum1 += rest[0];
            sum2 += sum1;
        }

        return (uint)((sum2 % Modulus << 16) | (sum1 % Modulus));
    }
}
