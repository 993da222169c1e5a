using System.IO.Compression;
using System.Text;

namespace Benchmarks.CloudFront;

/// <summary>The code that the talk starts from: the whole file as a string, split into lines, each split into all its columns.</summary>
internal static class OriginalLog
{
    private const int UserAgent = 10;

    public static List<LogRecord> Read(byte[] compressed)
    {
        using MemoryStream input = new(compressed);
        using GZipStream gzip = new(input, CompressionMode.Decompress);
        using MemoryStream plain = new();
        gzip.CopyTo(plain);
        List<LogRecord> records = [];
        foreach (string line in Encoding.UTF8.GetString(plain.ToArray()).Split('\n'))
        {
            if (line.Length == 0 || line[0] == '#')
            {
                continue;
            }

            string[] columns = line.Split('\t');
            records.Add(new LogRecord(columns[0], columns[1], columns[UserAgent]));
        }

        return records;
    }
}
