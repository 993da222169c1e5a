using System.Globalization;
using System.Net;
using Amazon.Runtime;
using Amazon.Runtime.Internal;
using Amazon.Runtime.Internal.Transform;
using Messaging.Telemetry;

namespace Messaging.Aws.S3;

/// <summary>Classifies the outcome of a request. Codes from https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html.</summary>
internal static class S3Faults
{
    /// <summary>No answer within the attempt's time.</summary>
    public const string TimeoutCode = "Timeout";

    /// <summary>No answer: connection refused, reset or broken, or hostname not resolved.</summary>
    public const string ConnectionCode = "ConnectionError";

    /// <summary>An answer that S3 never sends: a success without an ETag, not XML, or without end.</summary>
    public const string NotS3Code = "NotAnS3Answer";

    // A store's code is shown to people; every code of S3 is shorter.
    private const int MaxCode = 64;

    /// <summary>Classifies an exception. One of an unknown type is transient, with the type's name as the code: the message stays at its source.</summary>
    public static S3Fault Classify(Exception exception, bool timedOut)
    {
        if (timedOut || exception is OperationCanceledException or TimeoutException)
        {
            return new S3Fault(S3FaultKind.Transient, TimeoutCode, MayHaveCommitted: true);
        }

        if (exception is AwsServiceException credentials)
        {
            return new S3Fault(S3FaultKind.Refused, credentials.Code);
        }

        if (exception is not AmazonServiceException answer || (int)answer.StatusCode == 0)
        {
            string code = CodeOf(exception);
            return new S3Fault(S3FaultKind.Transient, code, MayHaveCommitted: true, Detail: code == ConnectionCode ? ConnectionFault.Describe(exception) : null);
        }

        int status = (int)answer.StatusCode;
        IWebResponseData? data = (answer.InnerException as HttpErrorResponseException)?.Response;
        return OfAnswer(status, answer.ErrorCode, answer.RequestId, data?.GetHeaderValue("Retry-After"), data?.GetHeaderValue("x-amz-bucket-region"));
    }

    /// <summary>Classifies an answer that is not the expected success. Its texts are untrusted and are bounded and escaped.</summary>
    public static S3Fault OfAnswer(int status, string? code, string? requestId, string? retryAfter, string? region)
    {
        if (status is >= 200 and < 300)
        {
            // A success in a form that S3 never sends.
            return NotS3(status);
        }

        region = region is not null && AwsRegion.IsWellFormed(region) ? region : null;
        S3FaultKind kind = status is >= 300 and < 400 && region is not null ? S3FaultKind.Refused : KindOf(status, code ?? string.Empty);
        return new S3Fault(
            kind,
            string.IsNullOrEmpty(code) ? ((HttpStatusCode)status).ToString() : Bound(code),
            status,
            string.IsNullOrEmpty(requestId) ? null : Bound(requestId),
            SecondsOf(retryAfter),

            // A 503 means that nothing was done; the other 5xx leave that open.
            MayHaveCommitted: kind == S3FaultKind.Transient && status is 500 or 502 or 504,
            region);
    }

    /// <summary>A success that S3 never sends: probably a proxy's.</summary>
    public static S3Fault NotS3(int status) => new(S3FaultKind.Transient, NotS3Code, status, MayHaveCommitted: true);

    /// <summary>True for a throttled request, or one without an answer in time. Conflicts, refusals and broken connections are no sign of load.</summary>
    public static bool IsOverload(in S3Fault fault) =>
        fault.Kind == S3FaultKind.Transient
        && (fault.Status is 429 or 503 || fault.Code is TimeoutCode or "SlowDown" or "Throttling" or "ThrottlingException" or "RequestLimitExceeded" or "TooManyRequests");

    public static bool IsElsewhere(in S3Fault fault) =>
        fault.Code is "PermanentRedirect" or "AuthorizationHeaderMalformed" or "IllegalLocationConstraintException" or "MovedPermanently"
        || (fault.Status is >= 300 and < 400 && fault.Region is not null);

    /// <summary>Adapts a fault to a request that reads an object. A HEAD's 404 has no body to say whether object or bucket is missing; a PUT's has.</summary>
    public static S3Fault OfObject(S3Fault fault) =>
        fault.Status == 404 && fault.Code != "NoSuchBucket" ? fault with { Kind = S3FaultKind.Missing } : fault;

    /// <summary>
    /// Adapts a fault to a HEAD, whose answer has no code: S3 answers 400 to an expired session. If the cause is another one, the retry with
    /// new credentials fails in the same way, and the worker counts as refused.
    /// </summary>
    /// <param name="fault">The fault.</param>
    /// <param name="isSession">True when temporary credentials signed the request.</param>
    public static S3Fault OfHead(S3Fault fault, bool isSession) =>
        isSession && fault is { Kind: S3FaultKind.Refused, Status: 400, Code: nameof(HttpStatusCode.BadRequest) }
            ? fault with { Kind = S3FaultKind.ExpiredCredentials }
            : fault;

    private static S3FaultKind KindOf(int status, string code) => code switch
    {
        // The SDK also reports a 412 without a body as "PreconditionFailed".
        "PreconditionFailed" => S3FaultKind.Exists,
        "NoSuchKey" or "NoSuchVersion" => S3FaultKind.Missing,

        "RequestTimeTooSkewed" or "RequestExpired" or "RequestInTheFuture" => S3FaultKind.ClockSkew,
        "ExpiredToken" or "TokenRefreshRequired" => S3FaultKind.ExpiredCredentials,

        // 409: another conditional write of the key is in progress. AWS says "retry the upload"; the SDK does not.
        "ConditionalRequestConflict" or "OperationAborted" => S3FaultKind.Transient,

        // Damaged or cut in transit: a retry sends the same bytes.
        "BadDigest" or "XAmzContentSHA256Mismatch" or "XAmzContentChecksumMismatch" or "IncompleteBody" or "RequestTimeout"
            or "RequestTimeoutException" => S3FaultKind.Transient,

        "SlowDown" or "Throttling" or "ThrottlingException" or "RequestLimitExceeded" or "TooManyRequests" or "Busy"
            or "QuotaExceeded" or "InternalError" or "ServiceUnavailable" or "TemporaryRedirect" => S3FaultKind.Transient,

        "EntityTooLarge" or "KeyTooLongError" or "KeyTooLong" or "InvalidURI" or "InvalidObjectName" or "XMinioInvalidObjectName" => S3FaultKind.Rejected,

        // Every other refusal is about bucket, credentials or settings and applies to every object: as poison it would fill the dead
        // letters with good messages.
        _ => KindOf(status),
    };

    private static S3FaultKind KindOf(int status) => status switch
    {
        412 => S3FaultKind.Exists,
        307 or 408 or 409 or 429 => S3FaultKind.Transient,
        413 or 414 => S3FaultKind.Rejected,
        501 => S3FaultKind.Refused,
        >= 500 => S3FaultKind.Transient,
        _ => S3FaultKind.Refused,
    };

    private static string CodeOf(Exception exception) => exception switch
    {
        HttpRequestException { HttpRequestError: HttpRequestError.ConfigurationLimitExceeded or HttpRequestError.InvalidResponse } => NotS3Code,
        HttpIOException { HttpRequestError: HttpRequestError.ConfigurationLimitExceeded or HttpRequestError.InvalidResponse } => NotS3Code,
        HttpRequestException or IOException or ObjectDisposedException => ConnectionCode,
        AmazonClientException => NotS3Code,
        _ => exception.GetType().Name,
    };

    public static string Bound(string text) => UntrustedText.Shorten(text[..Math.Min(text.Length, MaxCode)]);

    // Stores send seconds, not the form with a date; more than an hour is cut.
    private static TimeSpan SecondsOf(string? retryAfter) =>
        int.TryParse(retryAfter, NumberStyles.None, CultureInfo.InvariantCulture, out int seconds) ? TimeSpan.FromSeconds(Math.Min(seconds, 3_600)) : TimeSpan.Zero;
}
