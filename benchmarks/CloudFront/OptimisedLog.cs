using System.Buffers;
using System.IO.Compression;
using System.IO.Pipelines;
using System.Text;

namespace Benchmarks.CloudFront;

/// <summary>
/// The idea that the talk ends with: a pipe over the decompressing stream, lines as slices of its sequence, strings for the chosen
/// columns alone, records in a pooled array. Corrected where it would lose a last row without a newline or fail on a blank line. It still
/// ignores bad rows and damaged files.
/// </summary>
internal static class OptimisedLog
{
    private const int UserAgent = 10;

    /// <summary>Reads a file.</summary>
    /// <param name="compressed">The file.</param>
    /// <param name="records">Receives the records; grows as needed.</param>
    /// <returns>The number of records.</returns>
    public static async ValueTask<int> ReadAsync(byte[] compressed, LogRecords records)
    {
        using MemoryStream input = new(compressed);
        await using GZipStream gzip = new(input, CompressionMode.Decompress);
        PipeReader pipe = PipeReader.Create(gzip, new StreamPipeReaderOptions(bufferSize: 32 * 1024));
        int count = 0;
        while (true)
        {
            ReadResult result = await pipe.ReadAsync();
            ReadOnlySequence<byte> rest = result.Buffer;
            count = ReadLines(ref rest, records, count);
            if (result.IsCompleted)
            {
                count = ReadLine(rest, records, count);
                break;
            }

            pipe.AdvanceTo(rest.Start, rest.End);
        }

        await pipe.CompleteAsync();
        return count;
    }

    private static int ReadLines(ref ReadOnlySequence<byte> rest, LogRecords records, int count)
    {
        SequenceReader<byte> lines = new(rest);
        while (lines.TryReadTo(out ReadOnlySequence<byte> line, (byte)'\n'))
        {
            count = ReadLine(line, records, count);
        }

        rest = rest.Slice(lines.Position);
        return count;
    }

    private static int ReadLine(in ReadOnlySequence<byte> line, LogRecords records, int count)
    {
        if (line.IsEmpty || line.FirstSpan[0] == '#')
        {
            return count;
        }

        SequenceReader<byte> columns = new(line);
        columns.TryReadTo(out ReadOnlySequence<byte> date, (byte)'\t');
        columns.TryReadTo(out ReadOnlySequence<byte> time, (byte)'\t');
        ReadOnlySequence<byte> agent = default;
        for (int column = 2; column <= UserAgent; column++)
        {
            columns.TryReadTo(out agent, (byte)'\t');
        }

        records.Set(count, new LogRecord(Encoding.UTF8.GetString(date), Encoding.UTF8.GetString(time), Encoding.UTF8.GetString(agent)));
        return count + 1;
    }
}
