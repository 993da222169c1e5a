using System.Globalization;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Http.Source;

/// <summary>
/// The handshakes with which event services make sure that an endpoint wants their events: the OPTIONS request of the CloudEvents webhook specification
/// (section 4), and Event Grid's SubscriptionValidation. Only where the settings allow them. Threads: any.
/// </summary>
internal static class WebhookHandshakes
{
    private static readonly HttpRefusal NoCode = new(
        StatusCodes.Status422UnprocessableEntity, "no-validation-code",
        "An Event Grid validation is an array of one event with data.validationCode. Nothing was accepted.");

    /// <summary>Answers an OPTIONS request whose origin may send events.</summary>
    /// <returns>False when it is none; the response is unchanged.</returns>
    public static bool TryAllow(HttpContext context, HttpSourceOptions options)
    {
        string origin = context.Request.Headers["WebHook-Request-Origin"].ToString();
        if (!HttpMethods.IsOptions(context.Request.Method) || origin.Length == 0 || !Ascii.IsValid(origin)
            || !Array.Exists(options.WebhookOrigins, allowed => allowed == "*" || allowed.Equals(origin, StringComparison.OrdinalIgnoreCase)))
        {
            return false;
        }

        string rate = context.Request.Headers["WebHook-Request-Rate"].ToString();
        HttpConnection.Note(context, HttpResponses.Handshake);
        context.Response.StatusCode = StatusCodes.Status200OK;
        context.Response.Headers.Allow = HttpMethods.Post;
        context.Response.Headers["WebHook-Allowed-Origin"] = origin;

        // The worker has no limit of its own: it answers 429 when it is busy.
        context.Response.Headers["WebHook-Allowed-Rate"] = uint.TryParse(rate, NumberStyles.None, CultureInfo.InvariantCulture, out _) ? rate : "*";
        return true;
    }

    /// <summary>True for Event Grid's validation, where it is to be answered.</summary>
    public static bool IsValidation(HttpRequest request, HttpSourceOptions options) =>
        options.EventGridValidation && request.Headers["aeg-event-type"].ToString().Equals("SubscriptionValidation", StringComparison.OrdinalIgnoreCase);

    /// <summary>Answers Event Grid's validation with its code.</summary>
    public static async Task ValidateAsync(HttpContext context, HttpMessageSource source, HttpAnswers answers)
    {
        (PooledBuffer? body, HttpRefusal? refusal) = await SingleMessageRequest.ReadAsync(context, source, announced: -1);
        using (body)
        {
            string? code = body is null ? null : ReadCode(body.WrittenMemory);
            if (code is not null)
            {
                await AnswerAsync(context, source, answers, code);
            }
            else if (body is not null || refusal is not null)
            {
                await answers.RefuseAsync(context, refusal ?? NoCode);
            }
        }
    }

    private static Task AnswerAsync(HttpContext context, HttpMessageSource source, HttpAnswers answers, string code)
    {
        HttpConnection.Note(context, HttpResponses.Handshake);
        PooledBuffer answer = source.Buffers.Rent();
        Utf8JsonWriter json = answers.RentWriter(answer);
        json.WriteStartObject();
        json.WriteString("validationResponse"u8, code);
        json.WriteEndObject();
        answers.ReturnWriter(json);
        return HttpAnswers.SendAsync(context, StatusCodes.Status200OK, answer);
    }

    private static string? ReadCode(ReadOnlyMemory<byte> body)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(body);
            JsonElement validation =
                document.RootElement is { ValueKind: JsonValueKind.Array } events && events.GetArrayLength() == 1 ? events[0] : document.RootElement;
            return validation.ValueKind == JsonValueKind.Object
                && validation.TryGetProperty("data"u8, out JsonElement data) && data.ValueKind == JsonValueKind.Object
                && data.TryGetProperty("validationCode"u8, out JsonElement code) && code.ValueKind == JsonValueKind.String
                ? code.GetString()
                : null;
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            // InvalidOperationException: a text with half a surrogate pair.
            return null;
        }
    }
}
