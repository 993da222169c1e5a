using System.Text.Unicode;
using Quayside.Messaging.CloudFront.Rows;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.CloudFront.Documents;

/// <summary>
/// Writes rows as JSON documents, each an object of strings. A column that the log lacks, or with the value <c>-</c>, is omitted; so is the timestamp of a row
/// without a valid date and time. Threads: one at a time. Expected bytes allocated per row: 0.
/// </summary>
/// <param name="shape">Columns and fields.</param>
internal sealed class RowDocuments(DocumentShape shape)
{
    /// <summary>Writes one document.</summary>
    /// <returns>False, with nothing written, when a chosen column is not UTF-8.</returns>
    public bool TryWrite(in LogRow row, ReadOnlySpan<byte> id, IDocumentWriter documents)
    {
        ulong plain = 0;
        int most = shape.FixedBytes;
        for (int column = 0; column < shape.Fields; column++)
        {
            ReadOnlySpan<byte> value = row[column];
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

    private int Write(in LogRow row, ulong plain, Span<byte> target)
    {
        int written = WriteTimestamp(row, target);
        for (int column = 0; column < shape.Fields; column++)
        {
            ReadOnlySpan<byte> value = row[column];
            if (!row.Has(column) || row[column] is [(byte)'-'])
            {
                continue;
            }

            target[written] = written == 0 ? (byte)'{' : (byte)',';
            written++;
            ReadOnlySpan<byte> opener = shape.Opener(column);
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
        if (shape.TimestampOpener is not { } opener || !RowTimestamp.TryWrite(row[shape.Date], row[shape.Time], target[(1 + opener.Length)..]))
        {
            return 0;
        }

        target[0] = (byte)'{';
        opener.CopyTo(target[1..]);
        int written = 1 + opener.Length + RowTimestamp.Length;
        target[written] = (byte)'"';
        return written + 1;
    }
}
