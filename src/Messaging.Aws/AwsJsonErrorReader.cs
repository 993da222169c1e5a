using System.Text.Json;
using Messaging.Telemetry;

namespace Messaging.Aws;

/// <summary>
/// Reads an error of the AWS JSON 1.0 protocol. Looks for the code in the body's <c>__type</c> (or <c>code</c>), then in
/// <c>x-amzn-errortype</c>, then in <c>x-amzn-query-error</c>, as the Smithy specification orders them. Cuts off namespaces
/// (<c>com.amazonaws.sqs#</c>, <c>AWS.SimpleQueueService.</c>) and trailing URIs.
/// </summary>
internal static class AwsJsonErrorReader
{
    /// <summary>Never throws on an invalid response: a body that is not JSON (a load balancer's page) leaves the code empty.</summary>
    public static AwsErrorResponse Read(HttpResponseMessage response, ReadOnlySpan<byte> body)
    {
        (string? code, string? message) = ReadBody(body);
        code ??= Header(response, "x-amzn-errortype") ?? Header(response, "x-amzn-query-error");
        return new AwsErrorResponse(
            (int)response.StatusCode,
            UntrustedText.Shorten(Simplify(code).ToString()),
            UntrustedText.Shorten(message),
            Header(response, "x-amzn-requestid") is { } id ? UntrustedText.Shorten(id) : null,
            response.Headers.Date,
            response.Headers.RetryAfter?.Delta ?? TimeSpan.Zero);
    }

    private static (string? Code, string? Message) ReadBody(ReadOnlySpan<byte> body)
    {
        string? code = null;
        string? message = null;
        try
        {
            Utf8JsonReader reader = new(body);
            if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
            {
                return default;
            }

            while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
            {
                bool isCode = reader.ValueTextEquals("__type"u8) || reader.ValueTextEquals("code"u8);
                bool isMessage = reader.ValueTextEquals("message"u8) || reader.ValueTextEquals("Message"u8);
                reader.Read();
                if (reader.TokenType == JsonTokenType.String && isCode)
                {
                    code ??= reader.GetString();
                }
                else if (reader.TokenType == JsonTokenType.String && isMessage)
                {
                    message ??= reader.GetString();
                }
                else
                {
                    reader.Skip();
                }
            }
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            // Keep what was read before the fault. GetString throws InvalidOperationException on invalid UTF-8.
        }

        return (code, message);
    }

    private static ReadOnlySpan<char> Simplify(ReadOnlySpan<char> code)
    {
        int end = code.IndexOfAny(':', ';');
        code = end < 0 ? code : code[..end];
        code = code[(code.LastIndexOf('#') + 1)..];
        return code[(code.LastIndexOf('.') + 1)..].Trim();
    }

    private static string? Header(HttpResponseMessage response, string name) =>
        response.Headers.NonValidated.TryGetValues(name, out System.Net.Http.Headers.HeaderStringValues values) ? values.ToString() : null;
}
