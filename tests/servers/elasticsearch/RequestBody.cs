using System.Buffers.Binary;
using System.IO.Compression;
using Microsoft.AspNetCore.Http;

namespace ElasticsearchServer;

/// <summary>Reads a request's body and decompresses it strictly.</summary>
/// <param name="Bytes">The body.</param>
/// <param name="WireBytes">Its length as received.</param>
/// <param name="IsGzip">Whether it was compressed.</param>
internal sealed record RequestBody(byte[] Bytes, long WireBytes, bool IsGzip)
{
    public static RequestBody None { get; } = new([], 0, IsGzip: false);

    public static async Task<RequestBody> ReadAsync(HttpRequest request, long maxBytes)
    {
        if (request.ContentLength > maxBytes)
        {
            // Refuses the request without reading it, as Elasticsearch does: a client that waits for 100 Continue does not send the body.
            throw TooLarge();
        }

        using MemoryStream wire = new();
        byte[] buffer = new byte[64 * 1024];
        int read;
        while ((read = await request.Body.ReadAsync(buffer, request.HttpContext.RequestAborted)) > 0)
        {
            wire.Write(buffer, 0, read);
            if (wire.Length > maxBytes)
            {
                throw TooLarge();
            }
        }

        string encoding = request.Headers.ContentEncoding.ToString();
        return encoding switch
        {
            "" => new RequestBody(wire.ToArray(), wire.Length, IsGzip: false),
            "gzip" => new RequestBody(Decompress(wire.ToArray()), wire.Length, IsGzip: true),
            _ => throw new ApiException(415, "illegal_argument_exception", $"Content-Encoding [{encoding}] is not supported"),
        };
    }

    private static byte[] Decompress(byte[] gzip)
    {
        try
        {
            using GZipStream stream = new(new MemoryStream(gzip), CompressionMode.Decompress);
            using MemoryStream plain = new();
            stream.CopyTo(plain);

            // .NET accepts a truncated body silently, so the length is checked; the clients here send one member.
            return gzip.Length > 18 && BinaryPrimitives.ReadUInt32LittleEndian(gzip.AsSpan(^4..)) == (uint)plain.Length
                ? plain.ToArray()
                : throw new InvalidDataException("The gzip body is cut off.");
        }
        catch (InvalidDataException exception)
        {
            throw new ApiException(400, "illegal_argument_exception", exception.Message);
        }
    }

    private static ApiException TooLarge() => new(413, "", "");
}
