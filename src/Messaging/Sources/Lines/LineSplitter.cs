using System.Buffers;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Sources.Lines;

/// <summary>
/// Splits a stream of bytes into lines; every byte that is not part of a line end belongs to its line. Reads each byte once and copies only
/// lines that arrive in several pieces. Keeps at most one line, up to the limit. Allocates nothing per line. Dispose returns the buffer and
/// is idempotent. Threads: one at a time.
/// </summary>
/// <param name="buffers">The pool for the buffer of a line in several pieces.</param>
/// <param name="maxLineBytes">The maximum length of a line in bytes, without its line end.</param>
/// <param name="lineEnd">What ends a line.</param>
/// <param name="keepsTooLong">True when a line that is too long is returned by its first <paramref name="maxLineBytes"/> bytes.</param>
internal sealed class LineSplitter(BufferPool buffers, int maxLineBytes, LineEnd lineEnd = LineEnd.Lf, bool keepsTooLong = false) : IDisposable
{
    // Large enough for a typical line, so that the buffer rarely grows.
    private const int PartialLineCapacity = 1_024;

    // The part of the current line from earlier pieces; null without one.
    private PooledBuffer? _carried;
    private bool _carriedWasRead;
    private bool _isTooLong;
    private bool _endsWithCr;

    // Bytes of the unfinished line so far, discarded ones included.
    private long _unfinished;

    /// <summary>The number of the last line found, from 1; blank and too long lines count.</summary>
    public long LineNumber { get; private set; }

    /// <summary>Bytes of the last line found, without its LF; of a line that was too long, the discarded ones too.</summary>
    public long LineBytes { get; private set; }

    /// <summary>Bytes kept of an unfinished line.</summary>
    public int Kept => _carriedWasRead ? 0 : _carried?.Length ?? 0;

    /// <summary>True while a line is unfinished.</summary>
    public bool HasPartial => _isTooLong || (_carried is not null && !_carriedWasRead);

    /// <summary>Finds the next line and removes its bytes, including the line end, from the front of <paramref name="data"/>.</summary>
    /// <param name="data">The next bytes of the stream; empty when the result is <see cref="LineKind.None"/>.</param>
    /// <param name="line">The line without its line end; valid until the next call, and while the data is valid.</param>
    public LineKind Next(scoped ref ReadOnlySpan<byte> data, out ReadOnlySpan<byte> line)
    {
        if (_carriedWasRead)
        {
            Dispose();
        }

        int end = lineEnd == LineEnd.CrLf ? IndexOfCrLf(data) : data.IndexOf((byte)'\n');
        if (end >= 0 && _carried is null && !_isTooLong)
        {
            line = data[..end];
            data = data[(end + 1)..];
            LineNumber++;
            LineBytes = end;
            return Classify(ref line);
        }

        return NextInPieces(end, ref data, out line);
    }

    /// <summary>As the other overload, for bytes in several pieces.</summary>
    public LineKind Next(scoped ref ReadOnlySequence<byte> data, out ReadOnlySpan<byte> line)
    {
        SequenceReader<byte> reader = new(data);
        while (!reader.End)
        {
            ReadOnlySpan<byte> piece = reader.UnreadSpan;
            int length = piece.Length;
            LineKind kind = Next(ref piece, out line);
            reader.Advance(length - piece.Length);
            if (kind != LineKind.None)
            {
                data = reader.UnreadSequence;
                return kind;
            }
        }

        data = ReadOnlySequence<byte>.Empty;
        line = default;
        return LineKind.None;
    }

    /// <summary>Ends the stream: an unfinished line counts as complete.</summary>
    public LineKind End(out ReadOnlySpan<byte> line)
    {
        line = default;
        return HasPartial ? EndInPieces(out line) : LineKind.None;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _carried?.Dispose();
        _carried = null;
        _carriedWasRead = false;
    }

    /// <returns>The index of the LF.</returns>
    private int IndexOfCrLf(ReadOnlySpan<byte> data)
    {
        if (_endsWithCr && data is [(byte)'\n', ..])
        {
            return 0;
        }

        int cr = data.IndexOf("\r\n"u8);
        return cr < 0 ? -1 : cr + 1;
    }

    private LineKind NextInPieces(int end, scoped ref ReadOnlySpan<byte> data, out ReadOnlySpan<byte> line)
    {
        ReadOnlySpan<byte> piece = end < 0 ? data : data[..end];
        data = end < 0 ? default : data[(end + 1)..];
        Carry(piece);
        line = default;
        return end < 0 ? LineKind.None : EndInPieces(out line);
    }

    private LineKind EndInPieces(out ReadOnlySpan<byte> line)
    {
        LineNumber++;
        LineBytes = _unfinished;
        _unfinished = 0;
        _endsWithCr = false;
        line = _carried is null ? default : _carried.WrittenSpan;
        _carriedWasRead = _carried is not null;
        if (_isTooLong)
        {
            _isTooLong = false;
            line = line[..Math.Min(line.Length, maxLineBytes)];
            return LineKind.TooLong;
        }

        return Classify(ref line);
    }

    private void Carry(ReadOnlySpan<byte> piece)
    {
        _unfinished += piece.Length;
        _endsWithCr = piece.IsEmpty ? _endsWithCr : piece[^1] == '\r';

        // One byte more than the limit, for a CR of the line end.
        int carried = _carried?.Length ?? 0;
        if (_isTooLong || carried + piece.Length > maxLineBytes + 1)
        {
            _isTooLong = true;
            if (!keepsTooLong)
            {
                Dispose();
                return;
            }

            piece = piece[..Math.Clamp(maxLineBytes - carried, 0, piece.Length)];
        }

        if (!piece.IsEmpty)
        {
            _carried ??= buffers.Rent(Math.Max(piece.Length, PartialLineCapacity));
            _carried.Append(piece);
        }
    }

    private LineKind Classify(ref ReadOnlySpan<byte> line)
    {
        if (!line.IsEmpty && line[^1] == '\r')
        {
            line = line[..^1];
        }

        if (line.Length > maxLineBytes)
        {
            line = keepsTooLong ? line[..maxLineBytes] : default;
            return LineKind.TooLong;
        }

        // Most lines begin with a visible character; only the others are scanned.
        bool isBlank = line.IsEmpty || (line[0] <= ' ' && !line.ContainsAnyExcept(" \t\r\n"u8));
        return isBlank ? LineKind.Blank : LineKind.Line;
    }
}

/// <summary>What ends a line.</summary>
internal enum LineEnd
{
    /// <summary>LF, or CR LF; a CR elsewhere belongs to the line.</summary>
    Lf = 0,

    /// <summary>CR LF; a CR or LF alone belongs to the line.</summary>
    CrLf,
}

/// <summary>The result of <see cref="LineSplitter"/>.</summary>
internal enum LineKind
{
    /// <summary>The data ended before the line.</summary>
    None = 0,

    /// <summary>A message.</summary>
    Line,

    /// <summary>A line of only spaces, tabs, CR and LF: no message.</summary>
    Blank,

    /// <summary>A line longer than the limit; its bytes beyond the limit were discarded, or all of them.</summary>
    TooLong,
}
