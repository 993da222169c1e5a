namespace Messaging.CloudFront.Rows;

/// <summary>One row of a log: a borrow of the parser's window.</summary>
internal readonly ref struct LogRow
{
    private readonly ReadOnlySpan<byte> _window;
    private readonly ReadOnlySpan<int> _tabs;
    private readonly ColumnMap? _columns;
    private readonly int _start;
    private readonly int _end;

    public LogRow(ReadOnlySpan<byte> window, int start, int length, ReadOnlySpan<int> tabs, ColumnMap columns, long number)
    {
        _window = window;
        _tabs = tabs;
        _columns = columns;
        _start = start;
        _end = start + length;
        Number = number;
    }

    /// <summary>Which of the log's rows, from 1; directives and blank lines are not counted, bad rows are.</summary>
    public long Number { get; }

    /// <summary>Its bytes without the line's end.</summary>
    public ReadOnlySpan<byte> Text => _window[_start.._end];

    /// <summary>A chosen column as the log has it; may be empty, as one that the log does not have is.</summary>
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

/// <summary>Takes the rows of one log, in order.</summary>
internal interface ILogRows
{
    /// <summary>Takes a row that has as many columns as the log says.</summary>
    /// <returns>False to pause: the parser returns behind this row.</returns>
    bool Take(in LogRow row);

    /// <summary>Takes a row that cannot be read.</summary>
    /// <param name="number">Which, as <see cref="LogRow.Number"/>.</param>
    /// <param name="text">Its bytes, or the first of them when there are too many. A borrow.</param>
    /// <param name="fault">Why.</param>
    /// <returns>False to pause: the parser returns behind this row.</returns>
    bool TakeBad(long number, ReadOnlySpan<byte> text, RowFault fault);
}
