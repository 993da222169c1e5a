using System.Buffers.Text;

namespace Benchmarks.Aws.Wire;

/// <summary>
/// Undoes aws-chunked encoding: <c>hex[;chunk-signature=…]\r\n data \r\n</c>, a last chunk of length zero, then trailers (Amazon S3 API
/// reference, "Signature Calculations for the Authorization Header: Transferring a Payload in Multiple Chunks").
/// </summary>
internal static class AwsChunks
{
    private const int Malformed = -1;

    private static ReadOnlySpan<byte> LineEnd => "\r\n"u8;

    /// <summary>Decodes in place.</summary>
    /// <returns>Bytes of the payload, now at the front; -1 when the encoding is broken.</returns>
    public static int Decode(Span<byte> body)
    {
        int written = 0;
        int at = 0;
        while (true)
        {
            int lineLength = body[at..].IndexOf(LineEnd);
            if (lineLength < 0 || !Utf8Parser.TryParse(body.Slice(at, lineLength), out int length, out int digits, 'x')
                || length < 0 || (digits < lineLength && body[at + digits] != ';'))
            {
                return Malformed;
            }

            at += lineLength + LineEnd.Length;
            if (length == 0)
            {
                // Trailers, each with its line end, then an empty line.
                return body.EndsWith(LineEnd) ? written : Malformed;
            }

            if (length > body.Length - at - LineEnd.Length || !body[(at + length)..].StartsWith(LineEnd))
            {
                return Malformed;
            }

            body.Slice(at, length).CopyTo(body[written..]);
            written += length;
            at += length + LineEnd.Length;
        }
    }
}
