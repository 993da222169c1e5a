using System.Buffers;

namespace Worker.ObjectKeys;

/// <summary>The bytes that an escape leaves as they are: as a set for whole values, and as a table for single bytes.</summary>
internal sealed class KeptBytes
{
    private readonly SearchValues<byte> _set;
    private readonly bool[] _table = new bool[256];

    public KeptBytes(ReadOnlySpan<byte> bytes)
    {
        _set = SearchValues.Create(bytes);
        foreach (byte one in bytes)
        {
            _table[one] = true;
        }
    }

    public bool Has(byte one) => _table[one];

    public bool HasAll(ReadOnlySpan<byte> value) => !value.ContainsAnyExcept(_set);
}
