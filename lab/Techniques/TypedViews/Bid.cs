using System.Runtime.InteropServices;

namespace Lab.Techniques.TypedViews;

/// <summary>Eight bytes on the wire, little-endian: an amount, two unused bytes, a price.</summary>
[StructLayout(LayoutKind.Sequential)]
internal readonly struct Bid
{
    public const int Bytes = 8;
    public const int PriceAt = 4;

    public readonly ushort Amount;
    public readonly float Price;
}
