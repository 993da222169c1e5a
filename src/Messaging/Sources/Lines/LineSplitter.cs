using System.Buffers;
using Pipeline.Buffers;

namespace Messaging.Sources.Lines;

/// <summary>
/// Splits a stream of bytes into lines: LF or CRLF ends a line; a CR elsewhere, NUL and every other byte belong to it. Looks at each
/// byte once and copies only a line that arrives in several pieces. Holds at most one line, of at most the limit. Threads: one at a time.
/// 0 B per line. Dispose returns the buffer; it is idempotent.
/// </summary>
/// <param name="buffers">Where the buffer of a line in several pieces is rented.</param>
/// <param name="maxLineBytes">The longest line in bytes, without its end.</param>
public sealed class LineSplitter(BufferPool buffers, int maxLineBytes) : IDisposable
{
    // A line that goes on in the next piece: room for a typical one, so that it is rarely moved.
    private const int PartialLineCapacity = 1_024;

    // The part of the present line that came earlier; null when there is none.
    private PooledBuffer? _carried;
    private bool _carriedWasRead;
    private bool _isTooLong;

    /// <summary>The number of the line found last, from 1; blank and too long ones count.</summary>
    public long LineNumber { get; private set; }

    /// <summary>Bytes kept of the line that has begun.</summary>
    public int Kept => _carriedWasRead ? 0 : _carried?.Length ?? 0;

    /// <summary>True when a line has begun and not ended.</summary>
    public bool HasPartial => _isTooLong || (_carried is not null && !_carriedWasRead);

    /// <summary>Finds the next line and takes its bytes, the line end included, from the front of <paramref name="data"/>.</summary>
    /// <param name="data">Bytes not seen before; empty when the answer is <see cref="LineKind.None"/>.</param>
    /// <param name="line">The line without its end; a borrow that ends with the next call, and with the data's own life.</param>
    public LineKind Next(scoped ref ReadOnlySpan<byte> data, out ReadOnlySpan<byte> line)
    {
        if (_carriedWasRead)
        {
            Dispose();
        }

        int end = data.IndexOf((byte)'\n');
        if (end >= 0 && _carried is null && !_isTooLong)
        {
            line = data[..end];
            data = data[(end + 1)..];
            LineNumber++;
            return Classify(ref line);
        }

        return NextInPieces(end, ref data, out line);
    }

    /// <summary>The same for bytes in several pieces.</summary>
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

    /// <summary>The stream has ended: the line that has begun, if any, is whole.</summary>
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
        line = _carried is null ? default : _carried.WrittenSpan;
        _carriedWasRead = _carried is not null;
        if (_isTooLong)
        {
            _isTooLong = false;
            return LineKind.TooLong;
        }

        return Classify(ref line);
    }

    private void Carry(ReadOnlySpan<byte> piece)
    {
        // One byte more than the limit: a CR that belongs to the line's end.
        if (_isTooLong || (_carried?.Length ?? 0) + piece.Length > maxLineBytes + 1)
        {
            _isTooLong = true;
            Dispose();
        }
        else if (!piece.IsEmpty)
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
            line = default;
            return LineKind.TooLong;
        }

        // Nearly every line begins with something to see; only the others are looked through.
        bool isBlank = line.IsEmpty || (line[0] <= ' ' && !line.ContainsAnyExcept((byte)' ', (byte)'\t', (byte)'\r'));
        return isBlank ? LineKind.Blank : LineKind.Line;
    }
}
