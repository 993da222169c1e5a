using System.Buffers;
using System.Globalization;

namespace Lab.Techniques.StringJoins;

/// <summary>Characters on the stack first, then in a rented array when they outgrow it. Must not be copied: the array has one owner.</summary>
internal ref struct ValueCharList(Span<char> initial)
{
    private Span<char> _chars = initial;
    private char[]? _rented;
    private int _length;

    public void Append(string text)
    {
        if (text.Length > _chars.Length - _length)
        {
            Grow(text.Length);
        }

        text.CopyTo(_chars[_length..]);
        _length += text.Length;
    }

    public void Append(int number)
    {
        int written;
        while (!number.TryFormat(_chars[_length..], out written, provider: CultureInfo.InvariantCulture))
        {
            Grow(1);
        }

        _length += written;
    }

    public override readonly string ToString() => new(_chars[.._length]);

    public void Dispose()
    {
        char[]? rented = _rented;
        this = default;
        if (rented is not null)
        {
            ArrayPool<char>.Shared.Return(rented);
        }
    }

    private void Grow(int needed)
    {
        char[] grown = ArrayPool<char>.Shared.Rent(Math.Max(_chars.Length * 2, _length + needed));
        _chars[.._length].CopyTo(grown);
        if (_rented is not null)
        {
            ArrayPool<char>.Shared.Return(_rented);
        }

        _rented = grown;
        _chars = grown;
    }
}
