using System.Text;
using System.Text.Json;
using System.Text.Unicode;
using Quayside.Messaging.CloudFront.Rows;

namespace Proof.Fuzz.Targets;

/// <summary>CloudFront's logs in JSON, in pieces of every size, beside a JSON document per line.</summary>
internal sealed class LogJsonTarget : FuzzTarget
{
    private const int MaxRowBytes = 200;

    private static readonly byte[][] Names = [.. Texts.Utf8("date", "c-ip", "x-optional")];

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            "{\"date\":\"2026-11-01\",\"c-ip\":\"192.0.2.1\",\"cs-uri\":\"/a\"}\n{\"c-ip\":\"1\",\"date\":\"\",\"x-optional\":\"-\"}\n",
            "{\"date\":1,\"c-ip\":true,\"x-optional\":null}\r\n\r\n{\"date\":[1],\"c-ip\":{\"date\":1}}", "{\"date\":\"\\u00e9\\t\",\"c\\u002dip\":\"\"}\n",
            "{\"date\":\"1\"}\n[]\n{", "{\"date\":\"1\",\"c-ip\":\"2\",\"date\":\"3\"}\n"),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
        [.. Texts.Json,
            .. Texts.Utf8(
                "\n", "\r\n", "{\"date\":\"1\",\"c-ip\":\"2\"}\n", "\"date\":", "\"c-ip\":", "\"x-optional\":", ",", "\\ud800", "\\u0064ate", "\\n", "#",
                "\u0000", new string('x', 70), new string('y', 210), new string('[', 70))];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        // Every log begins as one in JSON; the rest is the input's.
        byte[] text = [.. "{\"date\":\"0\",\"c-ip\":\"0\"}\n"u8, .. input.Span];
        uint hash = Hash(input.Span);
        string seen = Read(text, piece: int.MaxValue, pause: false);
        FuzzException.ThrowIfDifferent(Read(text, 1 + (int)(hash % 97), pause: (hash & 1) == 0), seen, "in pieces");
        FuzzException.ThrowIfDifferent(seen, Expect(text), "rows");
        return HashCode.Combine(
            Scale(seen.Count(character => character == '\n')), seen.Contains("row-too-long", StringComparison.Ordinal),
            seen.Contains("bad", StringComparison.Ordinal), seen.Contains("row-missing", StringComparison.Ordinal));
    }

    private static string Read(ReadOnlySpan<byte> text, int piece, bool pause)
    {
        using LogParser parser = new(new ColumnMap(Names, required: 2), MaxRowBytes);
        Rows rows = new(pause);
        while (true)
        {
            int count = Math.Min(Math.Min(piece, text.Length), parser.Free.Length);
            text[..count].CopyTo(parser.Free.Span);
            parser.Advance(count);
            text = text[count..];
            if (count == 0)
            {
                parser.Finish();
            }

            ParseStatus status;
            do
            {
                status = parser.Parse(rows);
            }
            while (status == ParseStatus.Paused);

            FuzzException.ThrowUnless(status == ParseStatus.NeedsInput, "A log in JSON failed as a whole");
            if (count == 0)
            {
                return rows.ToString();
            }
        }
    }

    private static string Expect(byte[] text)
    {
        StringBuilder seen = new();
        int number = 0;
        foreach (string ended in Encoding.Latin1.GetString(text).Split('\n'))
        {
            string line = Texts.WithoutMarks(ended.EndsWith('\r') ? ended[..^1] : ended);
            if (line.Length > 0)
            {
                seen.Append(
                    $"{++number}: {(line.Length > MaxRowBytes ? $"{RowFault.TooLong} {line[..MaxRowBytes]}" : ExpectRow(Encoding.Latin1.GetBytes(line)))}\n");
            }
        }

        return seen.ToString();
    }

    private static string ExpectRow(byte[] line)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(line);
            if (document.RootElement.ValueKind != JsonValueKind.Object)
            {
                return Bad(RowFault.NotJson, line);
            }

            string?[] values = new string?[Names.Length];
            foreach (JsonProperty property in document.RootElement.EnumerateObject())
            {
                int chosen = Array.FindIndex(Names, name => property.NameEquals(name));
                if (chosen >= 0 && values[chosen] is not null)
                {
                    return Bad(RowFault.NotJson, line);
                }

                if (chosen >= 0)
                {
                    values[chosen] = property.Value.ValueKind switch
                    {
                        JsonValueKind.String => Encoding.Latin1.GetString(Encoding.UTF8.GetBytes(property.Value.GetString()!)),
                        JsonValueKind.Null => "-",
                        _ => Encoding.Latin1.GetString(Encoding.UTF8.GetBytes(property.Value.GetRawText())),
                    };
                }
            }

            return values[0] is null || values[1] is null ? Bad(RowFault.MissingColumn, line) : string.Join('|', values);
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            return Bad(RowFault.NotJson, line);
        }
    }

    // Which of a line's two faults is found first depends on the way of reading.
    private static string Bad(string? fault, ReadOnlySpan<byte> line) =>
        $"{(fault is RowFault.NotJson or RowFault.InvalidUtf8 || !Utf8.IsValid(line) ? "bad" : fault)} {Encoding.Latin1.GetString(line)}";

    private sealed class Rows(bool pause) : ILogRows
    {
        private readonly StringBuilder _seen = new();

        public bool Take(in LogRow row)
        {
            if (!Utf8.IsValid(row[0]) || !Utf8.IsValid(row[1]) || !Utf8.IsValid(row[2]))
            {
                // As for any log, the document's writer finds it.
                return TakeBad(row.Number, row.Text, RowFault.InvalidUtf8);
            }

            _seen
                .Append(row.Number)
                .Append(": ")
                .Append(Encoding.Latin1.GetString(row[0]))
                .Append('|')
                .Append(Encoding.Latin1.GetString(row[1]))
                .Append('|')
                .Append(Encoding.Latin1.GetString(row[2]))
                .Append('\n');
            return !pause;
        }

        public bool TakeBad(long number, ReadOnlySpan<byte> text, string fault)
        {
            _seen
                .Append(number)
                .Append(": ")
                .Append(fault == RowFault.TooLong ? $"{fault} {Encoding.Latin1.GetString(text)}" : Bad(fault, text))
                .Append('\n');
            return !pause;
        }

        public override string ToString() => _seen.ToString();
    }
}
