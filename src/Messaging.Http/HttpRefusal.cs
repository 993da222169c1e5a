using Microsoft.AspNetCore.Http;
using Quayside.Messaging.Http.Source;
using Quayside.Messaging.Sources;

namespace Quayside.Messaging.Http;

/// <summary>Why a request, or the rest of it, was refused, as the caller reads it.</summary>
/// <param name="Status">The HTTP status.</param>
/// <param name="Error">A stable kebab-case code.</param>
/// <param name="Message">What happened, and what the caller can do.</param>
/// <param name="RetryAfterSeconds">The value of Retry-After; 0 for none.</param>
/// <param name="Close">True when the connection must be closed.</param>
internal sealed record HttpRefusal(int Status, string Error, string Message, int RetryAfterSeconds = 0, bool Close = false)
{
    public static readonly HttpRefusal Full = new(
        StatusCodes.Status429TooManyRequests, "busy",
        "All slots are in use (Intake:Concurrency, Intake:BytesInFlight). Send it again after Retry-After seconds.", RetryAfterSeconds: 1);

    public static readonly HttpRefusal Paused = new(
        StatusCodes.Status503ServiceUnavailable, "paused",
        "Receiving is paused: messages cannot be stored or handled now, or an operator has paused the route. Send it again after Retry-After seconds.",
        RetryAfterSeconds: 5);

    public static readonly HttpRefusal Starting = new(
        StatusCodes.Status503ServiceUnavailable, "starting", "The worker is starting. Send it again after Retry-After seconds.", RetryAfterSeconds: 1);

    public static readonly HttpRefusal Stopping = new(
        StatusCodes.Status503ServiceUnavailable, "stopping", "The worker is stopping. Send it again after Retry-After seconds, over a new connection.",
        RetryAfterSeconds: 5, Close: true);

    public static readonly HttpRefusal Memory = new(
        StatusCodes.Status429TooManyRequests, "busy",
        "The bodies that are being received and the results of NDJSON lines take too many bytes "
            + $"({HttpSourceOptions.Section}:{nameof(HttpSourceOptions.MaxReceivingBytes)}). Send it again after Retry-After seconds.", RetryAfterSeconds: 1);

    public static readonly HttpRefusal TooSlow = new(
        StatusCodes.Status408RequestTimeout, "too-slow",
        $"The body did not arrive in time ({HttpSourceOptions.Section}:{nameof(HttpSourceOptions.BodyTimeout)}, {nameof(HttpSourceOptions.MinBodyRate)}). Send "
            + "it again, faster or in smaller requests.", Close: true);

    public static readonly HttpRefusal Empty = new(
        StatusCodes.Status400BadRequest, "empty-body",
        "The request has no message. Send one as the body, or one per line with Content-Type: application/x-ndjson.");

    /// <summary>The refusal for an intake's answer other than Reserved.</summary>
    public static HttpRefusal Of(IntakeAnswer answer) => answer switch
    {
        IntakeAnswer.Full => Full,
        IntakeAnswer.Paused => Paused,
        _ => Stopping,
    };
}
