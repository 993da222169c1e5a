using System.Text;
using Quayside.Messaging.CloudFront.Rows;

namespace Proof.Fuzz.Targets;

/// <summary>CloudFront's logs in pieces of every size beside lines and columns split as strings.</summary>
internal sealed class LogRowsTarget : FuzzTarget
{
    private const int MaxRowBytes = 200;

    private static readonly string[] Columns = ["date", "c-ip", "x-optional"];
    private static readonly byte[][] Names = [.. Texts.Utf8(Columns)];
    private static readonly char[] Separators = [' ', '\t'];

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            "#Version: 1.0\n#Fields: date time c-ip cs-uri\n2026-11-01\t10:20:30\t192.0.2.1\t/a\n2026-11-01\t10:20:31\t192.0.2.2\t-\n",
            "#Fields: c-ip x-optional date\r\n1\t2\t3\r\n\r\n4\t5\n6\t7\t8\t9\n#Fields: date c-ip\n1\t2", "#Version: 2.0\n", "a\tb\n", "#Fields: date\nx\n",
            "#Fields: date c-ip date\n"),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
        [.. Texts.Utf8(
            "\t", "\n", "\r\n", "\r", "#", "#Fields:", "#Fields: date c-ip\n", "#Version: 1.0\n", "#Version:", " ", "date", "c-ip", "x-optional", "\t\t\t\t",
            "\uFEFF", "\u0000", new string('x', 70), new string('y', 210), "a\tb\n", "a\tb\tc\td\n")];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        uint hash = Hash(input.Span);
        string seen = Read(input.Span, piece: int.MaxValue, pause: false);
        string cut = Read(input.Span, 1 + (int)(hash % 97), pause: (hash & 1) == 0);
        FuzzException.ThrowIfDifferent(cut, seen, "in pieces");
        FuzzException.ThrowIfDifferent(seen, Expect(Encoding.Latin1.GetString(input.Span)) ?? seen, "rows");
        return HashCode.Combine(
            Scale(seen.Count(character => character == '\n')), seen.Contains("row-too-long", StringComparison.Ordinal),
            seen.Contains("row-nul", StringComparison.Ordinal), seen.Contains("row-too-few", StringComparison.Ordinal),
            seen[(seen.LastIndexOf('\n') + 1)..].StartsWith('!'));
    }

    private static string Read(ReadOnlySpan<byte> text, int piece, bool pause)
    {
        using LogParser parser = new(new ColumnMap(Names, required: 2), MaxRowBytes);
        Rows rows = new(pause);
        int at = 0;
        while (true)
        {
            int count = Math.Min(Math.Min(piece, text.Length - at), parser.Free.Length);
            text.Slice(at, count).CopyTo(parser.Free.Span);
            parser.Advance(count);
            at += count;
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

            if (status == ParseStatus.Failed || count == 0)
            {
                FuzzException.ThrowUnless(status != ParseStatus.Failed || parser.Parse(rows) == ParseStatus.Failed, "Read again after a fault");
                FuzzException.ThrowIfDifferent(parser.Rows, rows.Last, "number of the last row");
                return rows.ToString() + (status == ParseStatus.Failed ? $"! {parser.Fault}" : string.Empty);
            }
        }
    }

    // Null for a log in JSON, which has a target of its own.
    private static string? Expect(string text)
    {
        StringBuilder seen = new();
        List<int>? places = null;
        int columns = 0;
        int number = 0;
        foreach (string ended in text.Split('\n'))
        {
            string line = Texts.WithoutMarks(ended.EndsWith('\r') ? ended[..^1] : ended);
            if (line.Length == 0)
            {
                continue;
            }

            if (line[0] == '#')
            {
                if (Directive(line, ref places, ref columns) is { } fault)
                {
                    return seen + $"! {fault}";
                }

                continue;
            }

            if (places is null && line[0] == '{')
            {
                return null;
            }

            if (places is null)
            {
                return seen + $"! {LogFault.NoFields}";
            }

            number++;
            string[] values = line.Split('\t');
            string? rowFault = line.Length > MaxRowBytes ? RowFault.TooLong
                : line.Contains('\0', StringComparison.Ordinal) ? RowFault.Nul
                : values.Length < columns ? RowFault.TooFewColumns
                : values.Length > columns ? RowFault.TooManyColumns
                : null;
            seen.Append(rowFault is null
                ? $"{number}: {string.Join('|', places.Select(place => place < 0 ? string.Empty : values[place]))}\n"
                : $"{number}: {rowFault} {line[..Math.Min(line.Length, MaxRowBytes)]}\n");
        }

        return seen.ToString();
    }

    private static string? Directive(string line, ref List<int>? places, ref int columns)
    {
        if (line.Length > MaxRowBytes)
        {
            return LogFault.BadFields;
        }

        if (line.StartsWith("#Version:", StringComparison.Ordinal) && line["#Version:".Length..].Trim(' ') != "1.0")
        {
            return LogFault.UnknownVersion;
        }

        if (line.StartsWith("#Fields:", StringComparison.Ordinal))
        {
            List<string> names = [.. line["#Fields:".Length..].Split(Separators, StringSplitOptions.RemoveEmptyEntries)];
            if (names.Count == 0 || Columns.Any(column => names.Count(name => name == column) > 1))
            {
                return LogFault.BadFields;
            }

            columns = names.Count;
            places = [.. Columns.Select(column => names.IndexOf(column))];
            if (places[0] < 0 || places[1] < 0)
            {
                return LogFault.MissingColumn;
            }
        }

        return null;
    }

    private sealed class Rows(bool pause) : ILogRows
    {
        private readonly StringBuilder _seen = new();

        public long Last { get; private set; }

        public bool Take(in LogRow row)
        {
            Last = row.Number;
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
            Last = number;
            _seen.Append(number).Append(": ").Append(fault).Append(' ').Append(Encoding.Latin1.GetString(text)).Append('\n');
            return !pause;
        }

        public override string ToString() => _seen.ToString();
    }
}
