namespace Messaging.Aws;

/// <summary>
/// Maps error codes and HTTP statuses to an <see cref="AwsErrorKind"/>. Codes come from the SQS and S3 API references and from the
/// retry and clock-skew lists that the AWS SDKs share. Both the JSON names and the older query names are known.
/// </summary>
internal static class AwsErrorClassifier
{
    // From this difference on, a signature mismatch is attributed to the clock (SigV4 allows 5 minutes).
    private static readonly TimeSpan SkewSuspicion = TimeSpan.FromMinutes(4);

    /// <summary>Classifies one error.</summary>
    /// <param name="status">The HTTP status; 0 for an entry of a batch.</param>
    /// <param name="code">The code without any prefix; may be empty.</param>
    /// <param name="message">The service's message; may be empty.</param>
    /// <param name="skew">Absolute difference between the signature's time and the response's Date header; zero when unknown.</param>
    public static AwsErrorKind Classify(int status, string code, string message, TimeSpan skew = default) => code switch
    {
        "RequestTimeTooSkewed" or "RequestInTheFuture" or "RequestExpired" => AwsErrorKind.ClockSkew,
        "SignatureDoesNotMatch" or "InvalidSignatureException" or "AuthFailure" =>
            skew >= SkewSuspicion || SaysSkew(message) ? AwsErrorKind.ClockSkew : AwsErrorKind.AccessDenied,

        "ExpiredToken" or "ExpiredTokenException" or "TokenRefreshRequired" => AwsErrorKind.ExpiredCredentials,

        "Throttling" or "ThrottlingException" or "ThrottledException" or "RequestThrottled" or "RequestThrottledException"
            or "TooManyRequestsException" or "RequestLimitExceeded" or "BandwidthLimitExceeded" or "SlowDown"
            or "PriorRequestNotComplete" or "OverLimit" or "KmsThrottled" => AwsErrorKind.Throttled,

        "QueueDoesNotExist" or "NonExistentQueue" or "NoSuchBucket" or "NoSuchKey" => AwsErrorKind.NotFound,

        "AccessDenied" or "AccessDeniedException" or "UnauthorizedOperation" or "UnauthorizedAccess" or "NotAuthorized"
            or "InvalidAccessKeyId" or "InvalidClientTokenId" or "UnrecognizedClientException" or "MissingAuthenticationToken"
            or "MissingAuthenticationTokenException" or "IncompleteSignature" or "OptInRequired" or "AccountProblem"
            or "AllAccessDisabled" or "InvalidSecurity" or "KmsAccessDenied" or "KmsDisabled" or "KmsNotFound"
            or "KmsInvalidState" or "KmsInvalidKeyUsage" or "KmsOptInRequired" => AwsErrorKind.AccessDenied,

        // QueueDeletedRecently ends after 60 seconds; the others are the service's own faults, regardless of the status.
        "InternalError" or "InternalFailure" or "ServiceUnavailable" or "ServiceUnavailableException" or "RequestTimeout"
            or "RequestTimeoutException" or "QueueDeletedRecently" => AwsErrorKind.Transient,

        _ => OfStatus(status),
    };

    private static AwsErrorKind OfStatus(int status) => status switch
    {
        429 => AwsErrorKind.Throttled,
        401 or 403 => AwsErrorKind.AccessDenied,
        404 => AwsErrorKind.NotFound,
        408 or >= 500 => AwsErrorKind.Transient,
        _ => AwsErrorKind.Invalid,
    };

    private static bool SaysSkew(string message) =>
        message.Contains("Signature expired", StringComparison.OrdinalIgnoreCase)
        || message.Contains("not yet current", StringComparison.OrdinalIgnoreCase);
}

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
