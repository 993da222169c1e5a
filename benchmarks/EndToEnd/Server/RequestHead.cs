using System.Buffers.Text;
using System.Text;

namespace Benchmarks.EndToEnd.Server;

/// <summary>What the server needs of an HTTP/1.1 request's head. Points into the head's bytes.</summary>
internal ref struct RequestHead
{
    public ReadOnlySpan<byte> Method;
    public ReadOnlySpan<byte> Path;
    public ReadOnlySpan<byte> Target;
    public int ContentLength;
    public bool ExpectsContinue;
    public bool IsAwsChunked;
    public bool OnlyIfAbsent;

    /// <param name="head">Request line and header lines, each ended by CRLF, without the empty line.</param>
    /// <exception cref="InvalidDataException">Not a request that this server understands.</exception>
    public static RequestHead Parse(ReadOnlySpan<byte> head)
    {
        RequestHead request = default;
        int lineEnd = head.IndexOf("\r\n"u8);
        ReadOnlySpan<byte> line = head[..lineEnd];
        int space = line.IndexOf((byte)' ');
        int last = line.LastIndexOf((byte)' ');
        if (space < 0 || last <= space || !line[(last + 1)..].SequenceEqual("HTTP/1.1"u8))
        {
            throw new InvalidDataException($"not an HTTP/1.1 request: {Encoding.Latin1.GetString(line)}");
        }

        request.Method = line[..space];
        request.Path = line[(space + 1)..last];
        head = head[(lineEnd + 2)..];
        while (!head.IsEmpty)
        {
            lineEnd = head.IndexOf("\r\n"u8);
            line = head[..lineEnd];
            head = head[(lineEnd + 2)..];
            int colon = line.IndexOf((byte)':');
            if (colon > 0)
            {
                request.Header(line[..colon], line[(colon + 1)..].Trim((byte)' '));
            }
        }

        return request;
    }

    private void Header(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        switch (name.Length)
        {
            case 6 when Ascii.EqualsIgnoreCase(name, "Expect"u8):
                ExpectsContinue = true;
                break;
            case 12 when Ascii.EqualsIgnoreCase(name, "X-Amz-Target"u8):
                Target = value;
                break;
            case 13 when Ascii.EqualsIgnoreCase(name, "If-None-Match"u8):
                OnlyIfAbsent = value.SequenceEqual("*"u8);
                break;
            case 14 when Ascii.EqualsIgnoreCase(name, "Content-Length"u8):
                if (!Utf8Parser.TryParse(value, out ContentLength, out int read) || read != value.Length)
                {
                    throw new InvalidDataException("a Content-Length that is no number");
                }

                break;
            case 17 when Ascii.EqualsIgnoreCase(name, "Transfer-Encoding"u8):
                throw new InvalidDataException("bodies without a length are not taken, as S3 takes none");
            case 20 when Ascii.EqualsIgnoreCase(name, "X-Amz-Content-Sha256"u8):
                IsAwsChunked = value.StartsWith("STREAMING-"u8);
                break;
        }
    }
}
