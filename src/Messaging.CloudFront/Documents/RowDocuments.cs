using System.Text.Unicode;
using Quayside.Messaging.CloudFront.Rows;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.CloudFront.Documents;

/// <summary>
/// Writes rows as JSON documents, each an object of strings. A column that the log lacks, or with the value <c>-</c>, is omitted; so is the timestamp of a row
/// without a valid date and time. Threads: one at a time. Expected bytes allocated per row: 0.
/// </summary>
internal sealed class RowDocuments : IDisposable
{
    private readonly DocumentShape _shape;
    private readonly PooledBuffer? _decoded;
    private readonly Range[] _decodedAt;

    /// <param name="shape">Columns and fields.</param>
    /// <param name="decodePercent">Whether to decode percent-encoding, once.</param>
    /// <param name="buffers">Lends the buffer for decoded values.</param>
    public RowDocuments(DocumentShape shape, bool decodePercent, BufferPool buffers)
    {
        _shape = shape;
        _decoded = decodePercent ? buffers.Rent(4_096) : null;
        _decodedAt = decodePercent ? new Range[shape.Columns.Length] : [];
    }

    /// <summary>Writes one document.</summary>
    /// <returns>False, with nothing written, when a chosen column is not UTF-8.</returns>
    public bool TryWrite(in LogRow row, ReadOnlySpan<byte> id, IDocumentWriter documents)
    {
        if (_decoded is not null)
        {
            Decode(row);
        }

        ulong plain = 0;
        int most = _shape.FixedBytes;
        for (int column = 0; column < _shape.Fields; column++)
        {
            ReadOnlySpan<byte> value = ValueOf(row, column);
            if (JsonValue.IsPlain(value))
            {
                plain |= 1UL << column;
                most += value.Length;
            }
            else if (Utf8.IsValid(value))
            {
                most += value.Length * JsonValue.MaxBytesPerByte;
            }
            else
            {
                return false;
            }
        }

        documents.Open(id);
        Span<byte> target = documents.Body.GetSpan(most);
        documents.Body.Advance(Write(row, plain, target));
        documents.Close();
        return true;
    }

    public void Dispose() => _decoded?.Dispose();

    private int Write(in LogRow row, ulong plain, Span<byte> target)
    {
        int written = WriteTimestamp(row, target);
        for (int column = 0; column < _shape.Fields; column++)
        {
            ReadOnlySpan<byte> value = ValueOf(row, column);
            if (!row.Has(column) || row[column] is [(byte)'-'])
            {
                continue;
            }

            target[written] = written == 0 ? (byte)'{' : (byte)',';
            written++;
            ReadOnlySpan<byte> opener = _shape.Opener(column);
            opener.CopyTo(target[written..]);
            written += opener.Length;
            if ((plain & (1UL << column)) != 0)
            {
                value.CopyTo(target[written..]);
                written += value.Length;
            }
            else
            {
                written += JsonValue.Write(value, target[written..]);
            }

            target[written++] = (byte)'"';
        }

        if (written == 0)
        {
            target[written++] = (byte)'{';
        }

        target[written++] = (byte)'}';
        return written;
    }

    /// <returns>Bytes written, the opening brace included; 0 without a timestamp.</returns>
    private int WriteTimestamp(in LogRow row, Span<byte> target)
    {
        if (_shape.TimestampOpener is not { } opener || !RowTimestamp.TryWrite(row[_shape.Date], row[_shape.Time], target[(1 + opener.Length)..]))
        {
            return 0;
        }

        target[0] = (byte)'{';
        opener.CopyTo(target[1..]);
        int written = 1 + opener.Length + RowTimestamp.Length;
        target[written] = (byte)'"';
        return written + 1;
    }

    private ReadOnlySpan<byte> ValueOf(in LogRow row, int column) =>
        _decoded is null || _decodedAt[column].Equals(default) ? row[column] : _decoded.WrittenSpan[_decodedAt[column]];

    /// <summary>Decodes the columns. A column without percent signs, or whose decoded bytes are not UTF-8, stays unchanged.</summary>
    private void Decode(in LogRow row)
    {
        _decoded!.Truncate(0);
        for (int column = 0; column < _decodedAt.Length; column++)
        {
            ReadOnlySpan<byte> value = row[column];
            _decodedAt[column] = default;
            if (!value.Contains((byte)'%'))
            {
                continue;
            }

            Span<byte> target = _decoded.GetSpan(value.Length);
            int count = PercentText.Decode(value, target);
            if (Utf8.IsValid(target[..count]))
            {
                _decodedAt[column] = _decoded.Length..(_decoded.Length + count);
                _decoded.Advance(count);
            }
        }
    }
}
