namespace Messaging.Aws;

/// <summary>An error response of an AWS service, with bounded and escaped text.</summary>
/// <param name="Status">The HTTP status.</param>
/// <param name="Code">The error code without prefixes; empty when the answer has none.</param>
/// <param name="Message">At most 256 bytes of what the service sent, escaped; may be empty.</param>
/// <param name="RequestId">The service's id of the request; null when the answer has none.</param>
/// <param name="ServerTime">The Date header; null when there is none.</param>
/// <param name="RetryAfter">Retry-After; zero when there is none.</param>
internal readonly record struct AwsErrorResponse(
    int Status,
    string Code,
    string Message,
    string? RequestId,
    DateTimeOffset? ServerTime,
    TimeSpan RetryAfter);
