namespace Quayside.Messaging.CloudFront.Rows;

/// <summary>One row of a log: a borrow of the parser's window.</summary>
internal readonly ref struct LogRow
{
    private readonly ReadOnlySpan<byte> _window;
    private readonly ReadOnlySpan<int> _tabs;
    private readonly ColumnMap? _columns;
    private readonly int _start;
    private readonly int _end;

    // Of a row in JSON only, whose values are a copy.
    private readonly ReadOnlySpan<byte> _text;

    public LogRow(ReadOnlySpan<byte> window, int start, int length, ReadOnlySpan<int> tabs, ColumnMap columns, long number)
    {
        _window = window;
        _tabs = tabs;
        _columns = columns;
        _start = start;
        _end = start + length;
        Number = number;
    }

    /// <param name="text">The row as it is in the log.</param>
    /// <param name="values">Its chosen values, one after another with a byte between them.</param>
    /// <param name="gaps">The positions of those bytes.</param>
    /// <param name="columns">The places of the columns among the values.</param>
    /// <param name="number">The row's number.</param>
    public LogRow(ReadOnlySpan<byte> text, ReadOnlySpan<byte> values, ReadOnlySpan<int> gaps, ColumnMap columns, long number)
        : this(values, 0, values.Length, gaps, columns, number) => _text = text;

    /// <summary>The row's number in the log, from 1; bad rows count, directives and blank lines do not.</summary>
    public long Number { get; }

    /// <summary>Its bytes without the line end.</summary>
    public ReadOnlySpan<byte> Text => _text.IsEmpty ? _window[_start.._end] : _text;

    /// <summary>False when the log lacks the chosen column.</summary>
    public bool Has(int chosen) => _columns!.PlaceOf(chosen) >= 0;

    /// <summary>A chosen column, unchanged; may be empty, and is empty when the log lacks the column.</summary>
    public ReadOnlySpan<byte> this[int chosen]
    {
        get
        {
            int place = _columns!.PlaceOf(chosen);
            if (place < 0)
            {
                return default;
            }

            int start = place == 0 ? _start : _tabs[place - 1] + 1;
            int end = place == _columns.Count - 1 ? _end : _tabs[place];
            return _window[start..end];
        }
    }
}

/// <summary>Receives the rows of one log, in order.</summary>
internal interface ILogRows
{
    /// <summary>Receives a row with as many columns as the fields directive names.</summary>
    /// <returns>False to pause: the parser returns after this row.</returns>
    bool Take(in LogRow row);

    /// <summary>Receives a row that cannot be read.</summary>
    /// <param name="number">Its number, as in <see cref="LogRow.Number"/>.</param>
    /// <param name="text">Its bytes, truncated when the row is too long. A borrow.</param>
    /// <param name="fault">Why it cannot be read.</param>
    /// <returns>False to pause: the parser returns after this row.</returns>
    bool TakeBad(long number, ReadOnlySpan<byte> text, string fault);
}
