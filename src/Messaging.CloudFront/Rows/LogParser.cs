using System.Buffers;
using System.Diagnostics;

namespace Quayside.Messaging.CloudFront.Rows;

/// <summary>
/// Reads a log of CloudFront's standard format 1.0 (W3C extended): directives, then rows of tab-separated columns; or a log whose first line begins
/// with a brace, which has a JSON object per line. It reads through a window of fixed size, so memory does not grow with the log; a line that crosses the
/// window's end is moved to its beginning. Use: fill <see cref="Free"/>, <see cref="Advance"/>, <see cref="Parse"/> until it needs input; <see cref="Finish"/>
/// at the end, and <see cref="Parse"/> once more. Threads: one at a time. Expected bytes allocated per row: 0.
/// </summary>
internal sealed class LogParser : IDisposable
{
    // 128 KiB fit the second-level cache of current processors, so decompressed bytes are still cached when they are parsed.
    private const int MinWindow = 128 * 1024;

    private const string NoFieldsDetail = "A row comes before the line that begins with #Fields:, and the log does not begin with { as one in JSON does. Of "
        + "the output formats of standard logging v2, choose w3c or JSON.";

    // Space for a line end and for the newline that Finish adds.
    private const int Slack = 4;

    private readonly ColumnMap _columns;
    private readonly int _maxRowBytes;
    private byte[] _window;
    private JsonRow? _json;
    private int[] _tabs;
    private int _noted;
    private int _start;
    private int _end;
    private long _rows;
    private bool _skipping;

    /// <param name="columns">The chosen columns.</param>
    /// <param name="maxRowBytes">Longest row, without its line end.</param>
    public LogParser(ColumnMap columns, int maxRowBytes)
    {
        _columns = columns;
        _maxRowBytes = maxRowBytes;
        _tabs = [];
        _window = ArrayPool<byte>.Shared.Rent(Math.Max(MinWindow, (2 * maxRowBytes) + Slack));
    }

    /// <summary>The space for the next bytes. Empty only when it was filled and <see cref="Parse"/> was not called since.</summary>
    public Memory<byte> Free => _window.AsMemory(_end, _window.Length - _end - 1);

    /// <summary>Rows so far, bad ones included.</summary>
    public long Rows => _rows;

    /// <summary>Columns that the last fields directive names; 0 before it.</summary>
    public int Columns => _columns.Count;

    /// <summary>The first required column that the last row in JSON lacks; null when it has all.</summary>
    public string? MissingColumn => _columns.Missing;

    /// <summary>Why the rest of the log cannot be read.</summary>
    public string? Fault { get; private set; }

    /// <summary>For people: more about <see cref="Fault"/>; may be empty.</summary>
    public string FaultDetail { get; private set; } = string.Empty;

    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    private static ReadOnlySpan<byte> VersionDirective => "#Version:"u8;

    private static ReadOnlySpan<byte> FieldsDirective => "#Fields:"u8;

    /// <summary>Records that <paramref name="count"/> bytes were written to <see cref="Free"/>.</summary>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)count, (uint)(_window.Length - _end - 1), nameof(count));
        _end += count;
    }

    /// <summary>Marks the end of the log: a last line without a newline counts too.</summary>
    public void Finish()
    {
        if (_end > _start && _window[_end - 1] != '\n')
        {
            _window[_end++] = (byte)'\n';
        }
    }

    /// <summary>Reads the lines in the window.</summary>
    public ParseStatus Parse(ILogRows rows)
    {
        if (Fault is not null)
        {
            return ParseStatus.Failed;
        }

        if (_skipping && !SkipLine())
        {
            return ParseStatus.NeedsInput;
        }

        while (true)
        {
            int noted = _noted;
            if (ParseLines(rows) is { } status)
            {
                return status;
            }

            Debug.Assert(_noted != noted, "Lines are scanned again only when the number of noted tabs changes.");
        }
    }

    public void Dispose()
    {
        _json?.Dispose();
        byte[]? window = Interlocked.Exchange(ref _window!, null);
        if (window is not null)
        {
            ArrayPool<byte>.Shared.Return(window);
        }
    }

    /// <returns>Null when a fields directive has changed how many tabs to note.</returns>
    private ParseStatus? ParseLines(ILogRows rows)
    {
        ReadOnlySpan<byte> text = _window.AsSpan(_start, _end - _start);
        ReadOnlySpan<int> tabs = _tabs.AsSpan(0, _noted);
        RowScanner scanner = new(text, _tabs.AsSpan(0, _noted));
        while (scanner.MoveNext())
        {
            int start = scanner.Start;
            int length = scanner.Length;
            if (length > 0 && text[start + length - 1] == '\r')
            {
                length--;
            }

            int marks = LengthOfMarks(text.Slice(start, length));
            start += marks;
            length -= marks;

            if (length == 0)
            {
                continue;
            }

            bool isJson = IsJson(text[start]);
            if (text[start] == '#' && !isJson)
            {
                if (!ReadDirective(text.Slice(start, length)))
                {
                    return ParseStatus.Failed;
                }

                if (_noted != tabs.Length)
                {
                    _start += scanner.Next;
                    return null;
                }

                continue;
            }

            bool goOn;
            string? fault = FaultOf(scanner, length);
            if (isJson)
            {
                goOn = TakeJson(text.Slice(start, length), rows);
            }
            else if (fault is null)
            {
                goOn = rows.Take(new LogRow(text, start, length, tabs, _columns, ++_rows));
            }
            else if (_columns.Count == 0)
            {
                return Fail(LogFault.NoFields, NoFieldsDetail);
            }
            else
            {
                goOn = rows.TakeBad(++_rows, text.Slice(start, Math.Min(length, _maxRowBytes)), fault);
            }

            if (!goOn)
            {
                _start += scanner.Next;
                return ParseStatus.Paused;
            }
        }

        _start += scanner.Next;
        return EndOfWindow(rows);
    }

    // Any line may begin with a byte order mark: files with one may have been joined. It does not count to the length of the row.
    private static int LengthOfMarks(ReadOnlySpan<byte> line)
    {
        int length = 0;
        while (line[length..].StartsWith(ByteOrderMark))
        {
            length += ByteOrderMark.Length;
        }

        return length;
    }

    private bool IsJson(byte first) => _json is not null || (first == '{' && _columns.Count == 0);

    private bool TakeJson(ReadOnlySpan<byte> line, ILogRows rows)
    {
        _json ??= new JsonRow(_columns, _maxRowBytes);
        string? fault = line.Length > _maxRowBytes ? RowFault.TooLong : _json.Read(line);
        return fault is null
            ? rows.Take(_json.ToRow(line, ++_rows))
            : rows.TakeBad(++_rows, line[..Math.Min(line.Length, _maxRowBytes)], fault);
    }

    private string? FaultOf(in RowScanner row, int length)
    {
        // A log never has 0 columns, so this also detects a row before the fields directive.
        int columns = row.Tabs + 1;
        return columns == _columns.Count && length <= _maxRowBytes && !row.HasNul
            ? null
            : length > _maxRowBytes ? RowFault.TooLong
            : row.HasNul ? RowFault.Nul
            : columns < _columns.Count ? RowFault.TooFewColumns
            : RowFault.TooManyColumns;
    }

    private ParseStatus EndOfWindow(ILogRows rows)
    {
        _start += LengthOfMarks(_window.AsSpan(_start, _end - _start));
        int rest = _end - _start;
        _window.AsSpan(_start, rest).CopyTo(_window);
        _start = 0;
        _end = rest;

        // One more byte may be the CR of the line end.
        if (rest <= _maxRowBytes + 1)
        {
            return ParseStatus.NeedsInput;
        }

        bool isJson = IsJson(_window[0]);
        if (_window[0] == '#' && !isJson)
        {
            return Fail(LogFault.BadFields, $"A directive has more than {_maxRowBytes} bytes.");
        }

        if (_columns.Count == 0 && !isJson)
        {
            return Fail(LogFault.NoFields, NoFieldsDetail);
        }

        if (isJson)
        {
            // The first row decides the format, also when it is too long.
            _json ??= new JsonRow(_columns, _maxRowBytes);
        }

        _skipping = true;
        bool goOn = rows.TakeBad(++_rows, _window.AsSpan(0, _maxRowBytes), RowFault.TooLong);
        _start = 0;
        _end = 0;
        return goOn ? ParseStatus.NeedsInput : ParseStatus.Paused;
    }

    /// <returns>False when the window ends within the line.</returns>
    private bool SkipLine()
    {
        int end = _window.AsSpan(_start, _end - _start).IndexOf((byte)'\n');
        if (end < 0)
        {
            _start = 0;
            _end = 0;
            return false;
        }

        _start += end + 1;
        _skipping = false;
        return true;
    }

    private bool ReadDirective(ReadOnlySpan<byte> line)
    {
        if (line.Length > _maxRowBytes)
        {
            Fail(LogFault.BadFields, $"A directive has more than {_maxRowBytes} bytes.");
            return false;
        }

        if (line.StartsWith(FieldsDirective))
        {
            string? fault = _columns.Read(line[FieldsDirective.Length..]);
            if (fault is not null)
            {
                Fail(fault, _columns.Missing is { } missing && fault == LogFault.MissingColumn
                    ? $"The log has no column {missing}. If not every log has it, name it in "
                        + $"{CloudFrontOptions.Section}:{nameof(CloudFrontOptions.OptionalColumns)} instead of {nameof(CloudFrontOptions.Columns)}."
                    : "The line that begins with #Fields: names no column, or names one twice.");
                return false;
            }

            _noted = _columns.TabsNeeded;
            if (_tabs.Length < _noted)
            {
                _tabs = new int[_noted];
            }
        }
        else if (line.StartsWith(VersionDirective) && !line[VersionDirective.Length..].Trim((byte)' ').SequenceEqual("1.0"u8))
        {
            Fail(LogFault.UnknownVersion, "The line that begins with #Version: does not say 1.0.");
            return false;
        }

        return true;
    }

    private ParseStatus Fail(string fault, string detail)
    {
        Fault = fault;
        FaultDetail = detail;
        return ParseStatus.Failed;
    }
}

/// <summary>Why <see cref="LogParser.Parse"/> returned.</summary>
internal enum ParseStatus
{
    /// <summary>Every whole line of the window was read.</summary>
    NeedsInput = 0,

    /// <summary>The receiver of the rows asked to pause.</summary>
    Paused,

    /// <summary>The rest of the log cannot be read; <see cref="LogParser.Fault"/> is the reason.</summary>
    Failed,
}
