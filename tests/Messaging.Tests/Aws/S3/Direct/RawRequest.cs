using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;

namespace Messaging.Tests.Aws.S3.Direct;

/// <summary>A request as received.</summary>
/// <param name="Connection">Sequence number of its connection, from 1.</param>
/// <param name="Line">The request line.</param>
/// <param name="Headers">Names as sent, looked up in any case.</param>
internal sealed record RawRequest(int Connection, string Line, IReadOnlyDictionary<string, string> Headers, byte[] Body)
{
    public string Method => Line.Split(' ')[0];

    public string Target => Line.Split(' ')[1];

    /// <summary>Reads one request with a body of known length from the beginning of the bytes.</summary>
    public static bool TryRead(ReadOnlySpan<byte> bytes, int connection, [NotNullWhen(true)] out RawRequest? request, out int length)
    {
        request = null;
        length = 0;
        int end = bytes.IndexOf("\r\n\r\n"u8);
        if (end < 0)
        {
            return false;
        }

        string[] lines = Encoding.Latin1.GetString(bytes[..end]).Split("\r\n");
        Dictionary<string, string> headers = new(StringComparer.OrdinalIgnoreCase);
        foreach (string line in lines[1..])
        {
            int colon = line.IndexOf(':');
            headers.Add(line[..colon], line[(colon + 1)..].Trim());
        }

        int body = headers.TryGetValue("Content-Length", out string? text) ? int.Parse(text, CultureInfo.InvariantCulture) : 0;
        length = end + 4 + body;
        if (bytes.Length < length)
        {
            return false;
        }

        request = new RawRequest(connection, lines[0], headers, bytes.Slice(end + 4, body).ToArray());
        return true;
    }
}
