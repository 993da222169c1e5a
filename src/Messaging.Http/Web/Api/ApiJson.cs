using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.AspNetCore.Http;

namespace Messaging.Http.Web.Api;

internal static class ApiJson
{
    // Answers are never HTML: quotes and umlauts stay readable.
    private static readonly JsonWriterOptions Options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Writes one JSON value.</summary>
    public static ReadOnlyMemory<byte> Make(Action<Utf8JsonWriter> write)
    {
        ArrayBufferWriter<byte> buffer = new(4 << 10);
        using (Utf8JsonWriter json = new(buffer, Options))
        {
            write(json);
        }

        return buffer.WrittenMemory;
    }

    public static async Task SendAsync(HttpContext context, ReadOnlyMemory<byte> body, int status = StatusCodes.Status200OK, string contentType = "application/json")
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = contentType;
        context.Response.ContentLength = body.Length;
        await context.Response.Body.WriteAsync(body, context.RequestAborted);
    }

    public static void WriteTime(this Utf8JsonWriter json, ReadOnlySpan<byte> name, DateTimeOffset time) => json.WriteString(name, time.UtcDateTime);

    public static void WriteTimeOrNull(this Utf8JsonWriter json, ReadOnlySpan<byte> name, DateTimeOffset? time)
    {
        if (time is { } known)
        {
            json.WriteTime(name, known);
        }
        else
        {
            json.WriteNull(name);
        }
    }

    public static void WriteNumberOrNull(this Utf8JsonWriter json, ReadOnlySpan<byte> name, double? value)
    {
        if (value is { } number)
        {
            json.WriteNumber(name, Rounded(number));
        }
        else
        {
            json.WriteNull(name);
        }
    }

    /// <summary>Rounds to six decimals: microseconds for values in seconds.</summary>
    public static double Rounded(double value) => double.IsFinite(value) ? Math.Round(value, 6) : 0;
}
