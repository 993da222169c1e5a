using System.Text;
using Quayside.Messaging.CloudFront.Gzip;
using Quayside.Messaging.CloudFront.Rows;

namespace Benchmarks.CloudFront;

/// <summary>The worker's own reading of the columns, without documents.</summary>
internal sealed class WorkerColumns : ILogRows
{
    public static readonly GzipLimits Limits = new(256L << 20, 200);

    private static readonly byte[][] Names = ["date"u8.ToArray(), "time"u8.ToArray(), "cs(User-Agent)"u8.ToArray()];

    private readonly List<LogRecord>? _records;
    private long _bytes;

    /// <param name="records">Receives the columns as strings; null to only add up their lengths.</param>
    public WorkerColumns(List<LogRecord>? records = null) => _records = records;

    /// <summary>Reads a file.</summary>
    /// <returns>Bytes of the three columns.</returns>
    public long Read(byte[] compressed)
    {
        _bytes = 0;
        using MemoryStream input = new(compressed);
        using GzipReader gzip = new(input, compressed.Length, Limits);
        using LogParser parser = new(new ColumnMap(Names, required: Names.Length), 64 * 1024);
        GzipRead read;
        do
        {
            do
            {
                // The input is in memory, so the task is always completed.
                read = gzip.ReadAsync(parser.Free, CancellationToken.None).GetAwaiter().GetResult();
                parser.Advance(read.Count);
            }
            while (read.Count > 0 && parser.Free.Length > 1_024);

            if (read.Count == 0)
            {
                parser.Finish();
            }

            Require(parser.Parse(this) == ParseStatus.NeedsInput && read.Fault is null);
        }
        while (read.Count > 0);

        return _bytes;
    }

    public bool Take(in LogRow row)
    {
        _bytes += row[0].Length + row[1].Length + row[2].Length;
        _records?.Add(new LogRecord(Encoding.UTF8.GetString(row[0]), Encoding.UTF8.GetString(row[1]), Encoding.UTF8.GetString(row[2])));
        return true;
    }

    public bool TakeBad(long number, ReadOnlySpan<byte> text, string fault) => throw new InvalidOperationException($"Row {number}: {fault}.");

    private static void Require(bool isRight)
    {
        if (!isRight)
        {
            throw new InvalidOperationException("The log was not read.");
        }
    }
}
