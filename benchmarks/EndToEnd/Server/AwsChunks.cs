using System.Buffers.Text;

namespace Benchmarks.EndToEnd.Server;

/// <summary>Takes the chunks of an aws-chunked body apart.</summary>
/// <remarks>https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html</remarks>
internal static class AwsChunks
{
    /// <summary>Moves the chunks' contents together at the front of <paramref name="body"/>.</summary>
    /// <returns>Their length.</returns>
    public static int Decode(Span<byte> body)
    {
        int to = 0;
        int at = 0;
        while (true)
        {
            Span<byte> rest = body[at..];
            int lineEnd = rest.IndexOf("\r\n"u8);
            if (lineEnd < 0 || !Utf8Parser.TryParse(rest[..lineEnd], out int length, out _, 'x') || length < 0)
            {
                throw new InvalidDataException("an aws-chunked body that is none");
            }

            if (length == 0)
            {
                return to;
            }

            at += lineEnd + 2;
            body.Slice(at, length).CopyTo(body[to..]);
            to += length;
            at += length + 2;
        }
    }
}
