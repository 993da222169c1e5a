using System.Buffers;
using Pipeline.Buffers;

namespace Worker.Sources.Http;

/// <summary>
/// Cuts bytes as they come into lines (https://github.com/ndjson/ndjson-spec): LF or CRLF ends one, blank ones are skipped, the
/// last may have no end. The bytes of a line are not looked at. Holds at most one line, of at most the limit. Threads: one.
/// </summary>
internal sealed class NdjsonSplitter(BufferPool buffers, int maxLineBytes) : IDisposable
{
    // A line that goes on in the next piece: room for a typical one, so that it is rarely moved.
    private const int PartialLineCapacity = 1_024;

    private PooledBuffer? _line;
    private bool _tooLarge;

    /// <summary>The number of the line found last, from 1, blank ones counted.</summary>
    public int LineNumber { get; private set; }

    /// <summary>Bytes of the line begun.</summary>
    public int Buffered => _line?.Length ?? 0;

    /// <summary>Finds the next line and takes its bytes from the front of <paramref name="data"/>.</summary>
    /// <param name="data">Bytes not seen before; empty when the answer is <see cref="NdjsonLine.None"/>.</param>
    /// <param name="isLast">True when no bytes follow these.</param>
    /// <param name="line">The message, at least 1 byte, without the line's end; the caller owns it.</param>
    public NdjsonLine Next(ref ReadOnlySequence<byte> data, bool isLast, out PooledBuffer? line)
    {
        line = null;
        SequenceReader<byte> reader = new(data);
        while (!reader.End)
        {
            ReadOnlySpan<byte> piece = reader.UnreadSpan;
            int end = piece.IndexOf((byte)'\n');
            Append(end < 0 ? piece : piece[..end], isWhole: end >= 0);
            reader.Advance(end < 0 ? piece.Length : end + 1);
            if (end >= 0 && End(out line) is NdjsonLine found and not NdjsonLine.None)
            {
                data = reader.UnreadSequence;
                return found;
            }
        }

        data = ReadOnlySequence<byte>.Empty;
        return isLast && (_line is not null || _tooLarge) ? End(out line) : NdjsonLine.None;
    }

    public void Dispose()
    {
        _line?.Dispose();
        _line = null;
    }

    private void Append(ReadOnlySpan<byte> piece, bool isWhole)
    {
        // One byte more than the limit: a CR that belongs to the line's end.
        if (_tooLarge || Buffered + piece.Length > maxLineBytes + 1)
        {
            _tooLarge = true;
            Dispose();
        }
        else if (!piece.IsEmpty)
        {
            _line ??= buffers.Rent(isWhole ? piece.Length : Math.Max(piece.Length * 2, PartialLineCapacity));
            _line.Append(piece);
        }
    }

    private NdjsonLine End(out PooledBuffer? line)
    {
        LineNumber++;
        line = _line;
        _line = null;
        if (line is not null)
        {
            ReadOnlySpan<byte> bytes = line.WrittenSpan;
            if (bytes[^1] == '\r')
            {
                bytes = bytes[..^1];
                line.Truncate(bytes.Length);
            }

            if (bytes.Length <= maxLineBytes && bytes.ContainsAnyExcept((byte)' ', (byte)'\t', (byte)'\r'))
            {
                return NdjsonLine.Message;
            }

            _tooLarge = bytes.Length > maxLineBytes;
            line.Dispose();
            line = null;
        }

        NdjsonLine found = _tooLarge ? NdjsonLine.TooLarge : NdjsonLine.None;
        _tooLarge = false;
        return found;
    }
}
