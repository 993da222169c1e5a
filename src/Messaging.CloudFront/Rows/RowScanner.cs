using System.Numerics;

namespace Quayside.Messaging.CloudFront.Rows;

/// <summary>
/// Finds lines and the tabs in them, 64 bytes at a time, and reads each byte once. It notes the positions of as many tabs as requested
/// and counts the others. Allocates nothing.
/// </summary>
internal ref struct RowScanner
{
    private readonly ReadOnlySpan<byte> _text;
    private readonly Span<int> _noted;
    private int _block;
    private ulong _tabs;
    private ulong _newLines;
    private ulong _nuls;

    /// <param name="text">Whole lines, and possibly the beginning of one more.</param>
    /// <param name="noted">Receives the positions in the text of a line's first tabs, as many as fit.</param>
    public RowScanner(ReadOnlySpan<byte> text, Span<int> noted)
    {
        _text = text;
        _noted = noted;
        _block = -BlockMasks.Size;
    }

    /// <summary>Start of the line.</summary>
    public int Start { get; private set; }

    /// <summary>Its bytes, without the newline.</summary>
    public int Length { get; private set; }

    /// <summary>Tabs in it.</summary>
    public int Tabs { get; private set; }

    /// <summary>True when it contains a byte 0.</summary>
    public bool HasNul { get; private set; }

    /// <summary>Start of the next line; all bytes before it were read.</summary>
    public int Next { get; private set; }

    /// <summary>Moves to the next line that ends in a newline.</summary>
    /// <returns>False when there is none; then the scanner has ended.</returns>
    public bool MoveNext()
    {
        int tabs = 0;
        ulong nuls = 0;
        while (_newLines == 0)
        {
            nuls |= _nuls;
            tabs = Note(_tabs, tabs);
            _block += BlockMasks.Size;
            if (_block >= _text.Length)
            {
                _tabs = 0;
                _nuls = 0;
                return false;
            }

            (_tabs, _newLines, _nuls) = BlockMasks.Of(_text, _block);
        }

        int at = BitOperations.TrailingZeroCount(_newLines);
        ulong before = (1UL << at) - 1;
        Tabs = Note(_tabs & before, tabs);
        HasNul = (nuls | (_nuls & before)) != 0;
        Start = Next;
        Length = _block + at - Start;
        Next = _block + at + 1;
        _tabs &= ~before;
        _nuls &= ~before;
        _newLines &= _newLines - 1;
        return true;
    }

    private readonly int Note(ulong tabs, int count)
    {
        while (tabs != 0 && count < _noted.Length)
        {
            _noted[count++] = _block + BitOperations.TrailingZeroCount(tabs);
            tabs &= tabs - 1;
        }

        return count + BitOperations.PopCount(tabs);
    }
}
