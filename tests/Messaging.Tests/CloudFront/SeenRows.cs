using System.Text;
using Quayside.Messaging.CloudFront.Rows;

namespace Messaging.Tests.CloudFront;

/// <summary>Records everything that a parser reports about a log, as text.</summary>
internal sealed class SeenRows(int chosen, bool pause = false) : ILogRows
{
    private readonly List<string> _seen = [];

    /// <summary>Parses a log in pieces.</summary>
    /// <param name="text">The log.</param>
    /// <param name="columns">The chosen columns.</param>
    /// <param name="maxRowBytes">Longest row.</param>
    /// <param name="piece">Bytes per piece.</param>
    /// <param name="first">Bytes of the first piece; 0 for the size of the others.</param>
    /// <param name="pause">Whether the parser has to pause at every row.</param>
    public static string Parse(byte[] text, string[] columns, int maxRowBytes = 64 * 1024, int piece = int.MaxValue, int first = 0, bool pause = false)
    {
        SeenRows rows = new(columns.Length, pause);
        using LogParser parser = new(new ColumnMap([.. columns.Select(Encoding.UTF8.GetBytes)], required: columns.Length), maxRowBytes);
        int at = 0;
        int size = first > 0 ? first : piece;
        while (true)
        {
            int count = Math.Min(Math.Min(size, text.Length - at), parser.Free.Length);
            text.AsSpan(at, count).CopyTo(parser.Free.Span);
            parser.Advance(count);
            at += count;
            size = piece;
            if (count == 0)
            {
                parser.Finish();
            }

            ParseStatus status;
            while ((status = parser.Parse(rows)) == ParseStatus.Paused)
            {
                rows._seen.Count.ShouldBeGreaterThan(0);
            }

            if (status == ParseStatus.Failed)
            {
                rows._seen.Add($"! {parser.Fault}");
                parser.Parse(rows).ShouldBe(ParseStatus.Failed);
                return rows.ToString();
            }

            if (count == 0)
            {
                return rows.ToString();
            }
        }
    }

    public bool Take(in LogRow row)
    {
        string[] values = new string[chosen];
        for (int i = 0; i < chosen; i++)
        {
            values[i] = Encoding.Latin1.GetString(row[i]);
        }

        _seen.Add($"{row.Number}: {string.Join('|', values)}");
        return !pause;
    }

    public bool TakeBad(long number, ReadOnlySpan<byte> text, string fault)
    {
        _seen.Add($"{number}: {fault} {Encoding.Latin1.GetString(text)}");
        return !pause;
    }

    public override string ToString() => string.Join('\n', _seen);
}
