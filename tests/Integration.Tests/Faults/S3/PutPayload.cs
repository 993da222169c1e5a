using System.Globalization;
using System.Security.Cryptography;

namespace Integration.Tests.Faults.S3;

/// <summary>
/// A PUT's payload, decoded, and the checks that S3 makes of it ("Checking object integrity" in its user guide, and the
/// API reference's error list). Separate from decoding, so that a fault can flip a bit in between.
/// </summary>
/// <param name="Checksums">The checksum headers and trailers, names in lower case.</param>
/// <param name="Error">Why the encoding is not acceptable.</param>
internal sealed record PutPayload(byte[] Bytes, IReadOnlyDictionary<string, string> Checksums, S3Error? Error)
{
    private const string ChecksumPrefix = "x-amz-checksum-";
    private static readonly Dictionary<string, string> NoChecksums = new(StringComparer.Ordinal);

    public static PutPayload Decode(S3Request request)
    {
        string hash = request.Header("x-amz-content-sha256") ?? "";
        bool isStreaming = hash.StartsWith("STREAMING-", StringComparison.Ordinal);
        if (request.Header("content-length") is null)
        {
            return Rejected(S3Error.MissingContentLength);
        }

        if (!isStreaming)
        {
            return (request.Header("content-encoding") ?? "").Contains("aws-chunked", StringComparison.Ordinal)
                ? Rejected(S3Error.InvalidRequest("aws-chunked needs a streaming x-amz-content-sha256."))
                : new PutPayload(request.Body, ChecksumsOf(request.Headers), null);
        }

        AwsChunkedBody body = AwsChunkedBody.Decode(request.Body, isSigned: hash.StartsWith("STREAMING-AWS4-", StringComparison.Ordinal));
        if (body.Error is { } why)
        {
            return Rejected(S3Error.IncompleteBody(why));
        }

        if (!int.TryParse(request.Header("x-amz-decoded-content-length"), CultureInfo.InvariantCulture, out int announced))
        {
            return Rejected(S3Error.InvalidRequest("x-amz-decoded-content-length is missing."));
        }

        if (announced != body.Payload.Length)
        {
            return Rejected(S3Error.IncompleteBody($"{body.Payload.Length} bytes instead of {announced}"));
        }

        string[] announcedTrailers = (request.Header("x-amz-trailer") ?? "").Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        bool hasTrailers = hash.EndsWith("-TRAILER", StringComparison.Ordinal);
        if (hasTrailers != announcedTrailers.Length > 0 || announcedTrailers.Any(name => !body.Trailers.ContainsKey(name.ToLowerInvariant())))
        {
            return Rejected(
                new S3Error(
                    400, "MalformedTrailerError", "The request contained trailing data that was not well-formed or did not conform to our published schema."));
        }

        Dictionary<string, string> checksums = ChecksumsOf(request.Headers);
        foreach ((string name, string value) in ChecksumsOf(body.Trailers))
        {
            checksums[name] = value;
        }

        return new PutPayload(body.Payload, checksums, null);
    }

    /// <summary>Compares the bytes with every digest that the request carries.</summary>
    public S3Error? Verify(S3Request request)
    {
        string hash = request.Header("x-amz-content-sha256") ?? "UNSIGNED-PAYLOAD";
        if (hash != "UNSIGNED-PAYLOAD" && !hash.StartsWith("STREAMING-", StringComparison.Ordinal) && hash != S3Request.Sha256Of(Bytes))
        {
            return S3Error.PayloadHashMismatch;
        }

        if (request.Header("content-md5") is { } md5)
        {
            if (!TryDecode(md5, out byte[] digest) || digest.Length != MD5.HashSizeInBytes)
            {
                return S3Error.InvalidDigest;
            }

            if (!digest.AsSpan().SequenceEqual(MD5.HashData(Bytes)))
            {
                return S3Error.BadDigest("Content-MD5");
            }
        }

        return VerifyChecksums(request);
    }

    private S3Error? VerifyChecksums(S3Request request)
    {
        if (Checksums.Count > 1)
        {
            return S3Error.InvalidRequest("Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.");
        }

        if (Checksums.Count == 0)
        {
            return request.Header("x-amz-sdk-checksum-algorithm") is null
                ? null
                : S3Error.InvalidRequest("x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.");
        }

        (string name, string value) = Checksums.Single();
        string algorithm = name[ChecksumPrefix.Length..];
        byte[]? expected = algorithm switch
        {
            "crc32" => Crc32(Bytes),
            "sha256" => SHA256.HashData(Bytes),
            _ => null,
        };
        return expected is null || !TryDecode(value, out byte[] given) || given.Length != expected.Length
            ? S3Error.InvalidRequest($"Value for {name} header is invalid.")
                : given.AsSpan().SequenceEqual(expected) ? null
                : S3Error.BadDigest(algorithm.ToUpperInvariant());
    }

    // A bit at a time: independent of what the code under test uses.
    private static byte[] Crc32(byte[] bytes)
    {
        uint remainder = uint.MaxValue;
        foreach (byte value in bytes)
        {
            remainder ^= value;
            for (int bit = 0; bit < 8; bit++)
            {
                remainder = (remainder & 1) == 0 ? remainder >> 1 : (remainder >> 1) ^ 0xEDB88320;
            }
        }

        remainder = ~remainder;
        return [(byte)(remainder >> 24), (byte)(remainder >> 16), (byte)(remainder >> 8), (byte)remainder];
    }

    private static PutPayload Rejected(S3Error error) => new([], NoChecksums, error);

    private static Dictionary<string, string> ChecksumsOf(IReadOnlyDictionary<string, string> headers) => headers
        .Where(header => header.Key.StartsWith(ChecksumPrefix, StringComparison.Ordinal)
            && header.Key is not (ChecksumPrefix + "type" or ChecksumPrefix + "algorithm"))
        .ToDictionary(header => header.Key, header => header.Value, StringComparer.Ordinal);

    private static bool TryDecode(string base64, out byte[] bytes)
    {
        bytes = new byte[base64.Length];
        bool isValid = Convert.TryFromBase64String(base64, bytes, out int written);
        bytes = bytes[..written];
        return isValid;
    }
}
