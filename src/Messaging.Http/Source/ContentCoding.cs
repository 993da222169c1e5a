using Microsoft.AspNetCore.Http;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Http.Source;

/// <summary>
/// Decodes bodies with a Content-Encoding (RFC 9110, section 8.4): gzip of one or more members, and deflate with its zlib header. The limits of the decoded
/// bytes are those of bodies that were sent without one, so a small body that decodes to much costs no more than they do. Threads: any.
/// </summary>
internal static class ContentCoding
{
    /// <summary>The codings that are decoded, for Accept-Encoding.</summary>
    public const string Accepted = "gzip, deflate";

    public static readonly HttpRefusal Unknown = new(
        StatusCodes.Status415UnsupportedMediaType, "encoded-body",
        "Send the body with one Content-Encoding of gzip or deflate, or without any. A charset such as UTF-8 is no coding: name it in Content-Type.");

    public static readonly HttpRefusal Damaged = new(
        StatusCodes.Status422UnprocessableEntity, "encoding-damaged",
        "The body is not what its Content-Encoding says, or it ends too early. What is not listed as accepted was not accepted; encode and send it again.");

    private const int ChunkBytes = 16 << 10;

    /// <summary>Reads the header of a request.</summary>
    /// <param name="header">The header's value.</param>
    /// <param name="coding">The coding to decode; null for a body without one.</param>
    /// <returns>False for a coding that is not decoded.</returns>
    public static bool TryRead(string? header, out string? coding)
    {
        if (header is null)
        {
            coding = null;
            return true;
        }

        string[] names = header.ToLowerInvariant().Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        string[] codings = Array.FindAll(names, static name => name != "identity");
        coding = codings switch
        {
            [] => null,
            ["x-gzip"] => "gzip",
            [var only] => only,
            _ => header,
        };
        return coding is null or "gzip" or "deflate";
    }

    /// <summary>Decodes a whole body.</summary>
    /// <param name="coding">The coding.</param>
    /// <param name="encoded">The body as received.</param>
    /// <param name="source">Its limits and buffers.</param>
    /// <param name="tooLarge">The answer when it decodes to more than <c>MaxMessageBytes</c>.</param>
    /// <returns>The decoded body, or the refusal.</returns>
    public static (PooledBuffer? Body, HttpRefusal? Refusal) DecodeWhole(string coding, PooledBuffer encoded, HttpMessageSource source, HttpRefusal tooLarge)
    {
        PooledBuffer? body = source.Buffers.Rent(ChunkBytes);
        long held = 0;
        try
        {
            using DecodedBody decoded = new(coding, encoded);
            int read;
            while ((read = decoded.Read(body.GetSpan(ChunkBytes))) > 0)
            {
                if (body.Length + (long)read > source.Options.MaxMessageBytes)
                {
                    return (null, tooLarge);
                }

                if (!source.Receiving.TryTake(read))
                {
                    return (null, HttpRefusal.Memory);
                }

                held += read;
                body.Advance(read);
            }

            if (!decoded.IsWhole())
            {
                return (null, Damaged);
            }

            PooledBuffer whole = body;
            body = null;
            if (whole.Length > 0)
            {
                return (whole, null);
            }

            whole.Dispose();
            return (null, HttpRefusal.Empty);
        }
        catch (InvalidDataException)
        {
            return (null, Damaged);
        }
        finally
        {
            body?.Dispose();
            source.Receiving.Return(held);
        }
    }
}
