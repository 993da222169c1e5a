using System.Buffers;
using System.Text.Json;

namespace Quayside.Messaging.CloudFront.Rows;

/// <summary>
/// Reads one row of a log in JSON, as standard logging v2 writes it: an object whose properties are the columns. The chosen values are copied one
/// after another, unescaped, with a gap between them. Threads: one at a time. Expected bytes allocated per row: 0; a row that is not JSON throws inside.
/// </summary>
internal sealed class JsonRow : IDisposable
{
    private readonly ColumnMap _columns;
    private readonly int[] _gaps;
    private byte[] _values;
    private int _length;

    /// <param name="columns">Is told the places of each row's columns.</param>
    /// <param name="maxRowBytes">Longest row.</param>
    public JsonRow(ColumnMap columns, int maxRowBytes)
    {
        _columns = columns;
        _gaps = new int[columns.Names.Length];

        // Quotation marks, colons and commas of a row are more than the gaps, so the values of a row fit.
        _values = ArrayPool<byte>.Shared.Rent(maxRowBytes);
    }

    /// <summary>Reads a row of at most the allowed length.</summary>
    public string? Read(ReadOnlySpan<byte> line)
    {
        _columns.Clear();
        _length = 0;
        try
        {
            Utf8JsonReader reader = new(line);
            return reader.Read() && reader.TokenType == JsonTokenType.StartObject && TryReadColumns(ref reader, line)
                ? _columns.FindMissing() ? RowFault.MissingColumn : null
                : RowFault.NotJson;
        }
        catch (JsonException)
        {
            return RowFault.NotJson;
        }
        catch (InvalidOperationException)
        {
            return RowFault.InvalidUtf8;
        }
    }

    /// <summary>The row that was read; a borrow until the next one.</summary>
    public LogRow ToRow(ReadOnlySpan<byte> line, long number) => new(line, _values.AsSpan(0, _length), _gaps, _columns, number);

    public void Dispose()
    {
        byte[]? values = Interlocked.Exchange(ref _values!, null);
        if (values is not null)
        {
            ArrayPool<byte>.Shared.Return(values);
        }
    }

    /// <returns>False when a chosen column occurs twice.</returns>
    private bool TryReadColumns(ref Utf8JsonReader reader, ReadOnlySpan<byte> line)
    {
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            int chosen = Find(ref reader);
            reader.Read();
            if (chosen < 0)
            {
                reader.Skip();
                continue;
            }

            if (_columns.Count > 0)
            {
                _gaps[_columns.Count - 1] = _length++;
            }

            if (!_columns.TryPlace(chosen))
            {
                return false;
            }

            _length += Copy(ref reader, line, _values.AsSpan(_length));
        }

        // Throws when something follows the object.
        return !reader.Read();
    }

    private int Find(ref Utf8JsonReader reader)
    {
        for (int i = 0; i < _columns.Names.Length; i++)
        {
            if (reader.ValueTextEquals(_columns.Names[i]))
            {
                return i;
            }
        }

        return -1;
    }

    private static int Copy(ref Utf8JsonReader reader, ReadOnlySpan<byte> line, Span<byte> target)
    {
        if (reader.TokenType == JsonTokenType.String)
        {
            return reader.CopyString(target);
        }

        int start = (int)reader.TokenStartIndex;
        bool isNull = reader.TokenType == JsonTokenType.Null;
        reader.Skip();
        ReadOnlySpan<byte> value = isNull ? "-"u8 : line[start..(int)reader.BytesConsumed];
        value.CopyTo(target);
        return value.Length;
    }
}
