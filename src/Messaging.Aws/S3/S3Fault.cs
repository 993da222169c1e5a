using System.Globalization;
using System.Net;
using Amazon.Runtime;
using Amazon.Runtime.Internal;
using Amazon.Runtime.Internal.Transform;
using Messaging.Telemetry;

namespace Messaging.Aws.S3;

/// <summary>How one request ended. Expected failures are values; exceptions do not leave the client. Codes: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html.</summary>
/// <param name="Kind">What it means.</param>
/// <param name="Code">S3's error code, or one of the worker's when no answer arrived; empty on success.</param>
/// <param name="Status">The HTTP status; 0 when no answer arrived.</param>
/// <param name="RequestId">The store's id of the request, for support cases; null when there is none.</param>
/// <param name="RetryAfter">The minimum wait that the store asked for; zero without one.</param>
/// <param name="MayHaveCommitted">True when the store may have carried out the request despite the failure.</param>
/// <param name="Region">The bucket's region according to the store; null when unknown.</param>
/// <param name="Detail">The connection's failure when no answer arrived, such as <c>Connection refused (127.0.0.1:4566)</c>; escaped, null when unknown.</param>
public readonly record struct S3Fault(
    S3FaultKind Kind,
    string Code = "",
    int Status = 0,
    string? RequestId = null,
    TimeSpan RetryAfter = default,
    bool MayHaveCommitted = false,
    string? Region = null,
    string? Detail = null)
{
    /// <summary>No answer within the attempt's time.</summary>
    internal const string TimeoutCode = "Timeout";

    /// <summary>No answer: connection refused, reset or broken, or hostname not resolved.</summary>
    internal const string ConnectionCode = "ConnectionError";

    /// <summary>An answer that S3 never sends: a success without an ETag, not XML, or without end.</summary>
    internal const string NotS3Code = "NotAnS3Answer";

    // A store's code is shown to people; every code of S3 is shorter.
    private const int MaxCode = 64;

    /// <summary>True when the answer says that the bucket is in another region than the request's; <see cref="Region"/> is then often known.</summary>
    public bool IsElsewhere =>
        Code is "PermanentRedirect" or "AuthorizationHeaderMalformed" or "IllegalLocationConstraintException" or "MovedPermanently"
        || (Status is >= 300 and < 400 && Region is not null);

    /// <summary>The credentials that the store reported as expired, so that new ones are fetched once for all requests that used them; null when unknown.</summary>
    internal SigningCredentials? Expired { get; init; }

    /// <summary>No fault.</summary>
    public static S3Fault None => new(S3FaultKind.None);

    /// <summary>No fault, with the answer's data for the request's span; without a listener a success is <see cref="None"/>.</summary>
    internal static S3Fault Success(int status, string? requestId) => new(S3FaultKind.None, Status: status, RequestId: requestId is null ? null : Bound(requestId));

    /// <summary>The fault of an exception of AWSSDK.S3. An exception of an unknown type is transient, with the type's name as the code.</summary>
    /// <param name="exception">What was thrown.</param>
    /// <param name="timedOut">True when the attempt's time had ended.</param>
    public static S3Fault Of(Exception exception, bool timedOut = false)
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

    /// <summary>
    /// What happened, such as <c>S3 PutObject: SlowDown (503, request 4442587FB7D0A2F9)</c> or
    /// <c>S3 PutObject: ConnectionError: Connection refused (127.0.0.1:4566)</c>.
    /// </summary>
    public string Describe(string operation)
    {
        string status = Status == 0 ? string.Empty : $" ({Status}{(RequestId is null ? string.Empty : $", request {RequestId}")})";
        string code = Kind == S3FaultKind.Undecided ? "the client reported no outcome, a defect of the worker" : Code;
        return $"S3 {operation}: {code}{status}{(Detail is null ? string.Empty : $": {Detail}")}";
    }

    /// <summary>Classifies an answer that is not the expected success. Its texts are untrusted and are bounded and escaped.</summary>
    internal static S3Fault OfAnswer(int status, string? code, string? requestId, string? retryAfter, string? region)
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
    internal static S3Fault NotS3(int status) => new(S3FaultKind.Transient, NotS3Code, status, MayHaveCommitted: true);

    /// <summary>True for a throttled request, or one without an answer in time. Conflicts, refusals and broken connections are no sign of load.</summary>
    internal bool IsOverload =>
        Kind == S3FaultKind.Transient
        && (Status is 429 or 503 || Code is TimeoutCode or "SlowDown" or "Throttling" or "ThrottlingException" or "RequestLimitExceeded" or "TooManyRequests");

    /// <summary>Adapts a fault to a request that reads an object. A HEAD's 404 has no body to say whether object or bucket is missing; a PUT's has.</summary>
    internal static S3Fault OfObject(S3Fault fault) =>
        fault.Status == 404 && fault.Code != "NoSuchBucket" ? fault with { Kind = S3FaultKind.Missing } : fault;

    /// <summary>
    /// Adapts a fault to a HEAD, whose answer has no code: S3 answers 400 to an expired session. If the cause is another one, the retry with
    /// new credentials fails in the same way, and the worker counts as refused.
    /// </summary>
    /// <param name="fault">The fault.</param>
    /// <param name="isSession">True when temporary credentials signed the request.</param>
    internal static S3Fault OfHead(S3Fault fault, bool isSession) =>
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

    internal static string Bound(string text) => UntrustedText.Shorten(text[..Math.Min(text.Length, MaxCode)]);

    // Stores send seconds, not the form with a date; more than an hour is cut.
    private static TimeSpan SecondsOf(string? retryAfter) =>
        int.TryParse(retryAfter, NumberStyles.None, CultureInfo.InvariantCulture, out int seconds) ? TimeSpan.FromSeconds(Math.Min(seconds, 3_600)) : TimeSpan.Zero;
}

/// <summary>What the outcome of one request means for its object.</summary>
public enum S3FaultKind
{
    /// <summary>No outcome: a defect of the client. The request does not count as successful.</summary>
    Undecided = 0,

    /// <summary>The request succeeded.</summary>
    None,

    /// <summary>412: an object with this key exists.</summary>
    Exists,

    /// <summary>404 for an object: it does not exist.</summary>
    Missing,

    /// <summary>A retry may succeed: throttled, unreachable, timed out or damaged in transit.</summary>
    Transient,

    /// <summary>The signature's time was refused. The client has learned the store's time from the answer, so an immediate retry may succeed.</summary>
    ClockSkew,

    /// <summary>Temporary credentials have expired: a retry needs new ones.</summary>
    ExpiredCredentials,

    /// <summary>The store refuses the worker, for every object.</summary>
    Refused,

    /// <summary>The store never accepts an object with this key or of this size, so none exists.</summary>
    Rejected,
}
