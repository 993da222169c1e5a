using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Quayside.Messaging.CloudFront.Rows;

/// <summary>The positions of a log's separators in a block of 64 bytes: bit n is byte n.</summary>
/// <param name="Tabs">Ends of columns.</param>
/// <param name="NewLines">Ends of lines.</param>
/// <param name="Nuls">Bytes 0, which no text contains.</param>
internal readonly record struct BlockMasks(ulong Tabs, ulong NewLines, ulong Nuls)
{
    /// <summary>Bytes per block.</summary>
    public const int Size = 64;

    /// <summary>Scans a block.</summary>
    /// <param name="text">The whole text.</param>
    /// <param name="at">Start of the block; beyond the text's end it is filled with blanks.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static BlockMasks Of(ReadOnlySpan<byte> text, int at) =>
        text.Length - at >= Size ? Of(text.Slice(at, Size)) : OfTail(text[at..]);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static BlockMasks Of(ReadOnlySpan<byte> block)
    {
        if (Vector512.IsHardwareAccelerated)
        {
            Vector512<byte> bytes = Vector512.Create(block);
            return new BlockMasks(
                Vector512.Equals(bytes, Vector512.Create((byte)'\t')).ExtractMostSignificantBits(),
                Vector512.Equals(bytes, Vector512.Create((byte)'\n')).ExtractMostSignificantBits(),
                Vector512.Equals(bytes, Vector512<byte>.Zero).ExtractMostSignificantBits());
        }

        if (Vector256.IsHardwareAccelerated)
        {
            Vector256<byte> low = Vector256.Create(block);
            Vector256<byte> high = Vector256.Create(block[32..]);
            return new BlockMasks(Find(low, high, (byte)'\t'), Find(low, high, (byte)'\n'), Find(low, high, 0));
        }

        return new BlockMasks(Find(block, (byte)'\t'), Find(block, (byte)'\n'), Find(block, 0));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Find(Vector256<byte> low, Vector256<byte> high, byte value)
    {
        Vector256<byte> wanted = Vector256.Create(value);
        return Vector256.Equals(low, wanted).ExtractMostSignificantBits() | ((ulong)Vector256.Equals(high, wanted).ExtractMostSignificantBits() << 32);
    }

    private static ulong Find(ReadOnlySpan<byte> block, byte value)
    {
        Vector128<byte> wanted = Vector128.Create(value);
        ulong mask = 0;
        for (int at = 0; at < Size; at += Vector128<byte>.Count)
        {
            mask |= (ulong)Vector128.Equals(Vector128.Create(block[at..]), wanted).ExtractMostSignificantBits() << at;
        }

        return mask;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static BlockMasks OfTail(ReadOnlySpan<byte> rest)
    {
        Span<byte> block = stackalloc byte[Size];
        block.Fill((byte)' ');
        rest.CopyTo(block);
        return Of(block);
    }
}
