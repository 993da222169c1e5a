using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Lab.Techniques.TypedViews;

/// <summary>The value of all bids in raw bytes (amount times price); bytes after the last whole bid are ignored.</summary>
internal static class BidReading
{
    /// <summary>Frozen: a BinaryReader over a stream over the bytes.</summary>
    public static double Reader(byte[] bytes)
    {
        using BinaryReader reader = new(new MemoryStream(bytes));
        double total = 0;
        for (int left = bytes.Length / Bid.Bytes; left > 0; left--)
        {
            ushort amount = reader.ReadUInt16();
            reader.ReadUInt16();
            total += amount * (double)reader.ReadSingle();
        }

        return total;
    }

    /// <summary>The bytes viewed as bids, in the machine's byte order; bids need not be aligned.</summary>
    public static double Cast(ReadOnlySpan<byte> bytes)
    {
        double total = 0;
        foreach (ref readonly Bid bid in MemoryMarshal.Cast<byte, Bid>(bytes))
        {
            total += bid.Amount * (double)bid.Price;
        }

        return total;
    }

    /// <summary>Without any check: a wrong length here reads foreign memory. The safe reference is <see cref="Primitives"/>.</summary>
    public static double Unchecked(ReadOnlySpan<byte> bytes)
    {
        ref byte at = ref MemoryMarshal.GetReference(bytes);
        double total = 0;
        for (int left = bytes.Length / Bid.Bytes; left > 0; left--)
        {
            total += Unsafe.ReadUnaligned<ushort>(ref at) * (double)Unsafe.ReadUnaligned<float>(ref Unsafe.Add(ref at, Bid.PriceAt));
            at = ref Unsafe.Add(ref at, Bid.Bytes);
        }

        return total;
    }

    /// <summary>Field by field with an explicit byte order; the same on every machine.</summary>
    public static double Primitives(ReadOnlySpan<byte> bytes)
    {
        double total = 0;
        while (bytes.Length >= Bid.Bytes)
        {
            total += BinaryPrimitives.ReadUInt16LittleEndian(bytes) * (double)BinaryPrimitives.ReadSingleLittleEndian(bytes[Bid.PriceAt..]);
            bytes = bytes[Bid.Bytes..];
        }

        return total;
    }
}
