using System.Globalization;
using System.Net.Http.Headers;
using System.Text.Json;
using Messaging.Telemetry;

namespace Messaging.CloudFront.Elasticsearch.Requests;

/// <summary>Sorts what a request ended in, where that was not a bulk response.</summary>
internal static class BulkFaults
{
    /// <summary>Sorts an exception of a request whose caller did not cancel.</summary>
    /// <param name="exception">What was thrown.</param>
    /// <param name="timedOut">True when the attempt's time was over.</param>
    public static BulkFault Classify(Exception exception, bool timedOut) => (timedOut, exception) switch
    {
        (true, _) or (_, OperationCanceledException) => new BulkFault(BulkFaultKind.Transient, BulkFault.TimeoutCode),
        (_, HttpRequestException { HttpRequestError: not HttpRequestError.Unknown } known) => new BulkFault(BulkFaultKind.Transient, known.HttpRequestError.ToString(), Reason: ConnectionFault.Describe(known)),
        (_, HttpRequestException or IOException) => new BulkFault(BulkFaultKind.Transient, "ConnectionError", Reason: ConnectionFault.Describe(exception)),

        // Of an unknown kind: the documents are not dead-lettered, and the log names the exception.
        _ => new BulkFault(BulkFaultKind.Transient, exception.GetType().Name),
    };

    /// <summary>Sorts an answer other than 200.</summary>
    /// <param name="status">HTTP status.</param>
    /// <param name="body">What was read of it; anything.</param>
    /// <param name="retryAfter">Its header.</param>
    public static BulkFault OfAnswer(int status, ReadOnlyMemory<byte> body, RetryConditionHeaderValue? retryAfter)
    {
        (string type, string reason) = ReadError(body);
        BulkFaultKind kind = status switch
        {
            413 => BulkFaultKind.TooLarge,
            408 or 429 or >= 500 => BulkFaultKind.Transient,

            // 1xx and 2xx but 200: no answer to a bulk request.
            < 300 => BulkFaultKind.Transient,

            // 400 too: what is wrong with the request as a whole is the worker's or the configuration's fault, and would be with the next.
            _ => BulkFaultKind.Refused,
        };
        return new BulkFault(
            kind,
            type.Length == 0 ? string.Create(CultureInfo.InvariantCulture, $"HTTP{status}") : type,
            status,
            reason,
            kind == BulkFaultKind.Transient ? SecondsOf(retryAfter) : TimeSpan.Zero);
    }

    // {"error":{"type":"…","reason":"…",…},"status":403}; gateways and old servers send a text.
    private static (string Type, string Reason) ReadError(ReadOnlyMemory<byte> body)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(body);
            if (document.RootElement.ValueKind != JsonValueKind.Object || !document.RootElement.TryGetProperty("error", out JsonElement error))
            {
                return (string.Empty, string.Empty);
            }

            return error.ValueKind == JsonValueKind.Object ? (Text(error, "type"), Text(error, "reason")) : (string.Empty, Text(error));
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            return (string.Empty, string.Empty);
        }
    }

    private static string Text(JsonElement error, string name) => error.TryGetProperty(name, out JsonElement value) ? Text(value) : string.Empty;

    private static string Text(JsonElement value) => value.ValueKind == JsonValueKind.String ? UntrustedText.Shorten(value.GetString()) : string.Empty;

    // The form with a date needs the server's clock; seconds up to an hour are believed.
    private static TimeSpan SecondsOf(RetryConditionHeaderValue? retryAfter) =>
        retryAfter?.Delta is { } delta && delta > TimeSpan.Zero ? delta < TimeSpan.FromHours(1) ? delta : TimeSpan.FromHours(1) : TimeSpan.Zero;
}
