using System.Globalization;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Elasticsearch;

/// <summary>Classifies requests that ended without a bulk response.</summary>
internal static class BulkFaults
{
    /// <summary>Classifies an exception of a request that the caller did not cancel.</summary>
    /// <param name="exception">The exception.</param>
    /// <param name="timedOut">True when the attempt timed out.</param>
    public static BulkFault Classify(Exception exception, bool timedOut) => (timedOut, exception) switch
    {
        (true, _) or (_, OperationCanceledException) => new BulkFault(BulkFaultKind.Transient, BulkFault.TimeoutCode),
        (_, StartupException missing) => new BulkFault(BulkFaultKind.Transient, BulkFault.NoCredentialsCode, Reason: UntrustedText.Shorten(missing.Message)),
        (_, HttpRequestException { HttpRequestError: not HttpRequestError.Unknown } known) =>
            new BulkFault(BulkFaultKind.Transient, known.HttpRequestError.ToString(), Reason: ConnectionFault.Describe(known)),
        (_, HttpRequestException or IOException) => new BulkFault(BulkFaultKind.Transient, "ConnectionError", Reason: ConnectionFault.Describe(exception)),

        // An unknown exception: the documents are not dead-lettered, and the log names it.
        _ => new BulkFault(BulkFaultKind.Transient, exception.GetType().Name),
    };

    /// <summary>Classifies a success of <c>GET /</c>: Elasticsearch and OpenSearch answer with a JSON object.</summary>
    /// <param name="start">The begin of the body.</param>
    public static BulkFault OfRoot(ReadOnlyMemory<byte> start) => start.Span.TrimStart(" \t\r\n"u8) is [(byte)'{', ..] ? default
        : new BulkFault(BulkFaultKind.Refused, BulkFault.ForeignCode, 200, $"It sent {UntrustedText.Quote(start.Span)}");

    /// <summary>Classifies a response with a status other than 200.</summary>
    /// <param name="status">HTTP status.</param>
    /// <param name="body">The bytes read of its body, in any format.</param>
    /// <param name="retryAfter">Its header Retry-After.</param>
    public static BulkFault OfAnswer(int status, ReadOnlyMemory<byte> body, RetryConditionHeaderValue? retryAfter)
    {
        (string type, string reason) = ReadError(body);
        BulkFaultKind kind = status switch
        {
            413 => BulkFaultKind.TooLarge,
            408 or 429 or >= 500 => BulkFaultKind.Transient,

            // 1xx, and 2xx other than 200, do not answer a bulk request.
            < 300 => BulkFaultKind.Transient,

            // 400 too: a fault of the request as a whole comes from the worker or its configuration, and the next request would have it too.
            _ => BulkFaultKind.Refused,
        };
        return new BulkFault(
            kind,
            type.Length == 0 ? string.Create(CultureInfo.InvariantCulture, $"HTTP{status}") : type,
            status,
            reason,
            kind == BulkFaultKind.Transient ? SecondsOf(retryAfter) : TimeSpan.Zero);
    }

    // {"error":{"type":"…","reason":"…",…},"status":403}; gateways and old servers send a string, Amazon OpenSearch {"Message":"…"}, proxies any text.
    private static (string Type, string Reason) ReadError(ReadOnlyMemory<byte> body)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(body);
            JsonElement root = document.RootElement;
            if (root.ValueKind != JsonValueKind.Object)
            {
                return (string.Empty, string.Empty);
            }

            if (!root.TryGetProperty("error", out JsonElement error))
            {
                return (string.Empty, Text(root, root.TryGetProperty("Message", out _) ? "Message" : "message"));
            }

            return error.ValueKind == JsonValueKind.Object ? (Text(error, "type"), Text(error, "reason")) : (string.Empty, Text(error));
        }
        catch (JsonException)
        {
            return (
                string.Empty,
                UntrustedText.Shorten(string.Join(' ', Encoding.UTF8.GetString(body.Span).Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries))));
        }
        catch (InvalidOperationException)
        {
            // An escape encodes half a surrogate pair.
            return (string.Empty, string.Empty);
        }
    }

    private static string Text(JsonElement error, string name) => error.TryGetProperty(name, out JsonElement value) ? Text(value) : string.Empty;

    private static string Text(JsonElement value) => value.ValueKind == JsonValueKind.String ? UntrustedText.Shorten(value.GetString()) : string.Empty;

    // Only the form in seconds counts, up to an hour: the form with a date depends on the server's clock.
    private static TimeSpan SecondsOf(RetryConditionHeaderValue? retryAfter) =>
        retryAfter?.Delta is { } delta && delta > TimeSpan.Zero ? delta < TimeSpan.FromHours(1) ? delta : TimeSpan.FromHours(1) : TimeSpan.Zero;
}
