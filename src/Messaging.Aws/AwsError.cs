using System.Globalization;
using System.Net.Http.Headers;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws;

/// <summary>A service's refusal of one request, with bounded and escaped text.</summary>
/// <param name="Status">The HTTP status.</param>
/// <param name="Code">The error code without prefixes; empty when the answer has none.</param>
/// <param name="Message">At most 256 bytes of what the service sent, escaped; may be empty.</param>
internal sealed record AwsError(int Status, string Code, string Message)
{
    // From this difference on, a signature mismatch is attributed to the clock (SigV4 allows 5 minutes).
    private static readonly TimeSpan SkewSuspicion = TimeSpan.FromMinutes(4);

    /// <summary>What the code means; Undecided for an unknown one: each service has its own rules for statuses.</summary>
    public AwsErrorKind Kind { get; init; } = KindOf(Code, Message);

    /// <summary>True for an answer with neither code nor message, as a proxy or another service sends; the message then quotes it.</summary>
    public bool IsForeign { get; init; }

    /// <summary>The service's id of the request; null when the answer has none.</summary>
    public string? RequestId { get; init; }

    /// <summary>The Date header; null when there is none.</summary>
    public DateTimeOffset? ServerTime { get; init; }

    /// <summary>Retry-After; zero when there is none.</summary>
    public TimeSpan RetryAfter { get; init; }

    /// <summary>The bucket's region according to S3; untrusted, null when unknown.</summary>
    public string? Region { get; init; }

    /// <summary>
    /// Reads an error answer, of which <paramref name="body"/> may be the start; never throws on an invalid one. The body's code counts before those of the
    /// headers.
    /// </summary>
    public static AwsError Read(HttpResponseMessage response, ReadOnlySpan<byte> body)
    {
        AwsErrorBody sent = AwsErrorBody.Read(body);
        string? code = sent.Code ?? Header(response, "x-amzn-errortype") ?? Header(response, "x-amzn-query-error");
        bool isForeign = code is null && sent.Message is null;
        string message = isForeign && !body.IsEmpty ? UntrustedText.Quote(body) : UntrustedText.Shorten(sent.Message);
        return new AwsError((int)response.StatusCode, UntrustedText.Shorten(Simplify(code)), message)
        {
            IsForeign = isForeign,
            RequestId =
                (sent.RequestId ?? Header(response, "x-amz-request-id") ?? Header(response, "x-amzn-requestid")) is { } id ? UntrustedText.Shorten(id) : null,
            ServerTime = response.Headers.Date,
            RetryAfter = SecondsOf(Header(response, "Retry-After")),
            Region = Header(response, "x-amz-bucket-region") ?? sent.Region,
        };
    }

    /// <summary>
    /// What a code means, in the JSON names and the older query names. Codes come from the SQS and S3 API references and from the retry and
    /// clock-skew lists that the AWS SDKs share.
    /// </summary>
    /// <param name="code">The code without any prefix; may be empty.</param>
    /// <param name="message">The service's message; may be empty.</param>
    /// <param name="skew">Absolute difference between the signature's time and the answer's Date header; zero when unknown.</param>
    /// <returns>Undecided for an unknown code.</returns>
    public static AwsErrorKind KindOf(string code, string message, TimeSpan skew = default) => code switch
    {
        "RequestTimeTooSkewed" or "RequestInTheFuture" or "RequestExpired" => AwsErrorKind.ClockSkew,
        "SignatureDoesNotMatch" or "InvalidSignatureException" or "AuthFailure" =>
            skew >= SkewSuspicion || SaysSkew(message) ? AwsErrorKind.ClockSkew : AwsErrorKind.Refused,

        "ExpiredToken" or "ExpiredTokenException" or "TokenRefreshRequired" => AwsErrorKind.ExpiredCredentials,

        "Throttling" or "ThrottlingException" or "ThrottledException" or "RequestThrottled" or "RequestThrottledException"
            or "TooManyRequests" or "TooManyRequestsException" or "RequestLimitExceeded" or "BandwidthLimitExceeded" or "SlowDown"
            or "PriorRequestNotComplete" or "OverLimit" or "KmsThrottled" or "KmsThrottling" => AwsErrorKind.Throttled,

        "QueueDoesNotExist" or "NonExistentQueue" or "NoSuchKey" or "NoSuchVersion" => AwsErrorKind.Missing,

        // The SDK also reports a 412 without a body as "PreconditionFailed".
        "PreconditionFailed" => AwsErrorKind.Exists,

        "AccessDenied" or "AccessDeniedException" or "UnauthorizedOperation" or "UnauthorizedAccess" or "NotAuthorized"
            or "InvalidAccessKeyId" or "InvalidClientTokenId" or "UnrecognizedClientException" or "MissingAuthenticationToken"
            or "MissingAuthenticationTokenException" or "IncompleteSignature" or "OptInRequired" or "AccountProblem"
            or "AllAccessDisabled" or "InvalidSecurity" or "KmsAccessDenied" or "KmsDisabled" or "KmsNotFound"
            or "KmsInvalidState" or "KmsInvalidKeyUsage" or "KmsOptInRequired" or "NoSuchBucket" => AwsErrorKind.Refused,

        // QueueDeletedRecently ends after 60 seconds; the others are the service's own faults, regardless of the status.
        "InternalError" or "InternalFailure" or "ServiceUnavailable" or "ServiceUnavailableException" or "RequestTimeout"
            or "RequestTimeoutException" or "QueueDeletedRecently" or "Busy" or "QuotaExceeded" or "TemporaryRedirect" => AwsErrorKind.Transient,

        // 409: another conditional write of the key is in progress. AWS says "retry the upload"; the SDK does not.
        "ConditionalRequestConflict" or "OperationAborted" => AwsErrorKind.Transient,

        // Damaged or cut in transit: a retry sends the same bytes.
        "BadDigest" or "XAmzContentSHA256Mismatch" or "XAmzContentChecksumMismatch" or "IncompleteBody" => AwsErrorKind.Transient,

        "EntityTooLarge" or "KeyTooLongError" or "KeyTooLong" or "InvalidURI" or "InvalidObjectName" or "XMinioInvalidObjectName"
            or "MetadataTooLarge" => AwsErrorKind.Rejected,
        _ => AwsErrorKind.Undecided,
    };

    /// <summary>
    /// What the refusal of a HEAD means, whose answer has no code. S3 answers 400 to an expired session. If the cause is another one, the
    /// repetition with new credentials fails in the same way.
    /// </summary>
    public static AwsErrorKind KindOfHead(int status, TimeSpan skew, bool isSession) => status switch
    {
        403 when skew >= SkewSuspicion => AwsErrorKind.ClockSkew,
        400 when isSession => AwsErrorKind.ExpiredCredentials,
        _ => AwsErrorKind.Undecided,
    };

    /// <summary>A Retry-After in seconds, as services send it, not in the form with a date; more than an hour is cut.</summary>
    public static TimeSpan SecondsOf(string? retryAfter) =>
        int.TryParse(retryAfter, NumberStyles.None, CultureInfo.InvariantCulture, out int seconds)
            ? TimeSpan.FromSeconds(Math.Min(seconds, 3_600))
            : TimeSpan.Zero;

    private static bool SaysSkew(string message) =>
        message.Contains("Signature expired", StringComparison.OrdinalIgnoreCase)
        || message.Contains("not yet current", StringComparison.OrdinalIgnoreCase);

    /// <summary>
    /// A code without namespace (com.amazonaws.sqs#, AWS.SimpleQueueService.) and trailing URI; S3's KMS.DisabledException as the KmsDisabled of SQS.
    /// </summary>
    internal static string Simplify(ReadOnlySpan<char> code)
    {
        bool isKms = code.StartsWith("KMS.", StringComparison.Ordinal);
        int end = code.IndexOfAny(':', ';');
        code = end < 0 ? code : code[..end];
        code = code[(code.LastIndexOf('#') + 1)..];
        string name = code[(code.LastIndexOf('.') + 1)..].Trim().ToString();
        return isKms ? $"Kms{name.Replace("KMS", string.Empty, StringComparison.Ordinal).Replace("Exception", string.Empty, StringComparison.Ordinal)}" : name;
    }

    private static string? Header(HttpResponseMessage response, string name) =>
        response.Headers.NonValidated.TryGetValues(name, out HeaderStringValues values) ? values.ToString() : null;
}
