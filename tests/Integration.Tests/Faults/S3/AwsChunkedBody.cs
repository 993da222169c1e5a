using System.Globalization;
using System.Text;

namespace Integration.Tests.Faults.S3;

/// <summary>
/// Content-Encoding aws-chunked: chunks of <c>hex[;chunk-signature=…]\r\n data \r\n</c>, a last one of length zero, then trailers
/// (Amazon S3 API reference, "Signature Calculations for the Authorization Header: Transferring a Payload in Multiple Chunks").
/// </summary>
/// <param name="Trailers">Names in lower case.</param>
/// <param name="Error">Why the body is malformed; null for a well-formed body, and only then the other properties are set.</param>
internal sealed record AwsChunkedBody(byte[] Payload, IReadOnlyDictionary<string, string> Trailers, string? Error)
{
    private static ReadOnlySpan<byte> LineEnd => "\r\n"u8;

    /// <param name="isSigned">Whether every chunk must carry a signature; the signatures themselves are not verified.</param>
    public static AwsChunkedBody Decode(ReadOnlySpan<byte> encoded, bool isSigned)
    {
        using var payload = new MemoryStream(encoded.Length);
        while (true)
        {
            if (!TryReadLine(ref encoded, out string line))
            {
                return Malformed("a chunk's head is cut");
            }

            string[] parts = line.Split(';', 2);
            if (!int.TryParse(parts[0], NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out int length) || length < 0)
            {
                return Malformed($"'{parts[0]}' is no chunk length");
            }

            if (isSigned && (parts.Length != 2 || !IsSignature(parts[1])))
            {
                return Malformed("a chunk has no signature");
            }

            if (length == 0)
            {
                return ReadTrailers(payload.ToArray(), encoded);
            }

            if (encoded.Length - LineEnd.Length < length || !encoded[length..].StartsWith(LineEnd))
            {
                return Malformed("a chunk is not as long as it says");
            }

            payload.Write(encoded[..length]);
            encoded = encoded[(length + LineEnd.Length)..];
        }
    }

    private static AwsChunkedBody ReadTrailers(byte[] payload, ReadOnlySpan<byte> encoded)
    {
        var trailers = new Dictionary<string, string>(StringComparer.Ordinal);
        while (TryReadLine(ref encoded, out string line))
        {
            if (line.Length == 0)
            {
                return encoded.Length == 0 ? new AwsChunkedBody(payload, trailers, null) : Malformed("bytes follow the last chunk");
            }

            string[] parts = line.Split(':', 2);
            if (parts.Length != 2)
            {
                return Malformed($"'{line}' is no trailer");
            }

            trailers[parts[0].Trim().ToLowerInvariant()] = parts[1].Trim();
        }

        return Malformed("the end is missing");
    }

    private static bool IsSignature(string extension) =>
        extension.StartsWith("chunk-signature=", StringComparison.Ordinal)
        && extension.AsSpan("chunk-signature=".Length) is { Length: 64 } hex && !hex.ContainsAnyExcept("0123456789abcdef");

    private static bool TryReadLine(ref ReadOnlySpan<byte> bytes, out string line)
    {
        int end = bytes.IndexOf(LineEnd);
        if (end < 0)
        {
            line = "";
            return false;
        }

        line = Encoding.ASCII.GetString(bytes[..end]);
        bytes = bytes[(end + LineEnd.Length)..];
        return true;
    }

    private static AwsChunkedBody Malformed(string error) => new([], new Dictionary<string, string>(StringComparer.Ordinal), error);
}
