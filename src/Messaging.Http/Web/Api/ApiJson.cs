using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.AspNetCore.Http;

namespace Messaging.Http.Web.Api;

/// <summary>Makes and sends the API's answers.</summary>
internal static class ApiJson
{
    // Read by programs and by a page that never takes it for HTML: quotes and umlauts stay readable.
    private static readonly JsonWriterOptions Options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>One JSON value as bytes.</summary>
    public static ReadOnlyMemory<byte> Make(Action<Utf8JsonWriter> write)
    {
        ArrayBufferWriter<byte> buffer = new(4 << 10);
        using (Utf8JsonWriter json = new(buffer, Options))
        {
            write(json);
        }

        return buffer.WrittenMemory;
    }

    /// <summary>Sends an answer.</summary>
    public static async Task SendAsync(HttpContext context, ReadOnlyMemory<byte> body, int status = StatusCodes.Status200OK, string contentType = "application/json")
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = contentType;
        context.Response.ContentLength = body.Length;
        await context.Response.Body.WriteAsync(body, context.RequestAborted);
    }

    public static void WriteTime(this Utf8JsonWriter json, ReadOnlySpan<byte> name, DateTimeOffset time) => json.WriteString(name, time.UtcDateTime);

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

    /// <summary>To six digits after the point: microseconds, where it is seconds.</summary>
    public static double Rounded(double value) => double.IsFinite(value) ? Math.Round(value, 6) : 0;
}
