using System.Net;
using System.Xml;
using Amazon.Runtime;
using Amazon.Runtime.Internal;
using Amazon.Runtime.Internal.Transform;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws.S3;

/// <summary>
/// How one request ended. Expected failures are values; exceptions do not leave the client. Codes:
/// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html.
/// </summary>
/// <param name="Kind">What it means.</param>
/// <param name="Code">S3's error code, or one of the worker's when no answer arrived; empty on success.</param>
/// <param name="Status">The HTTP status; 0 when no answer arrived.</param>
/// <param name="RequestId">The store's id of the request, for support cases; null when there is none.</param>
/// <param name="RetryAfter">The minimum wait that the store asked for; zero without one.</param>
/// <param name="MayHaveCommitted">True when the store may have carried out the request despite the failure.</param>
/// <param name="Region">The bucket's region according to the store; null when unknown.</param>
/// <param name="Detail">The store's own message, or why no answer arrived, such as <c>Connection refused (127.0.0.1:4566)</c>; one line, bounded, escaped; null
/// when unknown.</param>
internal readonly record struct S3Fault(
    AwsErrorKind Kind,
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

    /// <summary>How the <see cref="Detail"/> of an answer begins that S3 never sends.</summary>
    internal const string NotS3Detail = "the address answers, but is not S3: check scheme, port and path of Sinks:S3:Endpoint or Aws:Endpoint";

    // A store's code is shown to people; every code of S3 is shorter.
    private const int MaxCode = 64;

    /// <summary>True when the answer says that the bucket is in another region than the request's; <see cref="Region"/> is then often known.</summary>
    public bool IsWrongRegion =>
        Code is "PermanentRedirect" or "AuthorizationHeaderMalformed" or "IllegalLocationConstraintException" or "MovedPermanently"
        || (Status is >= 300 and < 400 && Region is not null);

    /// <summary>No fault.</summary>
    public static S3Fault None => new(AwsErrorKind.None);

    /// <summary>No fault, with the answer's data for the request's span; without a listener a success is <see cref="None"/>.</summary>
    internal static S3Fault Success(int status, string? requestId) =>
        new(AwsErrorKind.None, Status: status, RequestId: requestId is null ? null : Bound(requestId));

    /// <summary>The fault of an exception of AWSSDK.S3. An exception of an unknown type is transient, with the type's name as the code.</summary>
    /// <param name="exception">What was thrown.</param>
    /// <param name="timedOut">True when the attempt's time had ended.</param>
    public static S3Fault Of(Exception exception, bool timedOut = false)
    {
        if (timedOut || exception is OperationCanceledException or TimeoutException)
        {
            return new S3Fault(AwsErrorKind.Transient, TimeoutCode, MayHaveCommitted: true);
        }

        if (exception is AwsServiceException credentials)
        {
            return new S3Fault(AwsErrorKind.Refused, credentials.Code);
        }

        if (exception is not AmazonServiceException answer || (int)answer.StatusCode == 0)
        {
            string code = CodeOf(exception);
            string? detail = code == ConnectionCode ? ConnectionFault.Describe(exception) : code == NotS3Code ? NotS3Detail : null;
            return new S3Fault(AwsErrorKind.Transient, code, MayHaveCommitted: true, Detail: detail);
        }

        int status = (int)answer.StatusCode;
        IWebResponseData? data = (answer.InnerException as HttpErrorResponseException)?.Response;

        // Of an answer without a code or a message, the SDK makes them up.
        string? errorCode = answer.ErrorCode == answer.StatusCode.ToString() ? null : AwsError.Simplify(answer.ErrorCode);
        string message = answer.Message.StartsWith("Error making request", StringComparison.Ordinal) ? string.Empty : UntrustedText.Shorten(answer.Message);
        return OfAnswer(new AwsError(status, errorCode ?? string.Empty, message)
        {
            IsForeign = string.IsNullOrEmpty(errorCode) && message.Length == 0,
            RequestId = answer.RequestId,
            RetryAfter = AwsError.SecondsOf(data?.GetHeaderValue("Retry-After")),
            Region = data?.GetHeaderValue("x-amz-bucket-region"),
        });
    }

    /// <summary>
    /// What happened, such as <c>S3 PutObject: SlowDown (503, request 4442587FB7D0A2F9)</c> or
    /// <c>S3 PutObject: ConnectionError: Connection refused (127.0.0.1:4566)</c>.
    /// </summary>
    public string Describe(string operation)
    {
        string status = Status == 0 ? string.Empty : $" ({Status}{(RequestId is null ? string.Empty : $", request {RequestId}")})";
        string code = Kind == AwsErrorKind.Undecided ? "the client reported no outcome, a defect of the worker" : Code;
        return $"S3 {operation}: {code}{status}{(Detail is null ? string.Empty : $": {Detail}")}";
    }

    /// <summary>Classifies an answer that is not the expected success. Its texts are untrusted and are bounded and escaped.</summary>
    internal static S3Fault OfAnswer(AwsError error)
    {
        int status = error.Status;
        if (status is >= 200 and < 300)
        {
            // A success in a form that S3 never sends.
            return NotS3(status);
        }

        string? region = error.Region is { } named && AwsRegion.IsWellFormed(named) ? named : null;
        AwsErrorKind kind = status is >= 300 and < 400 && region is not null ? AwsErrorKind.Refused
            : error.Kind == AwsErrorKind.Undecided ? KindOf(status)
            : error.Kind;

        // S3 sends a code, and to a HEAD, which has no body, its id of the request.
        bool isForeign = error is { IsForeign: true, RequestId: null or "" } && region is null
            && (error.Status is < 400 or 400 or 404 or 405 || error is { Status: 401 or 403, Message.Length: > 0 });
        string detail = isForeign && error.Message.Length > 0 ? $"{NotS3Detail}. It sent {error.Message}"
            : isForeign ? NotS3Detail : error.Message.TrimEnd('.');
        return new S3Fault(
            kind,
            isForeign ? NotS3Code : error.Code.Length == 0 ? ((HttpStatusCode)status).ToString() : Bound(error.Code),
            status,
            string.IsNullOrEmpty(error.RequestId) ? null : Bound(error.RequestId),
            error.RetryAfter,

            // A 503 means that nothing was done; the other 5xx leave that open.
            MayHaveCommitted: kind is AwsErrorKind.Transient or AwsErrorKind.Throttled && status is 500 or 502 or 504,
            region,
            detail.Length > 0 ? detail : null);
    }

    /// <summary>A success that S3 never sends: probably a proxy's.</summary>
    internal static S3Fault NotS3(int status) => new(AwsErrorKind.Transient, NotS3Code, status, MayHaveCommitted: true, Detail: NotS3Detail);

    /// <summary>True for an answer that S3 never sends.</summary>
    internal bool IsForeign => Code == NotS3Code;

    /// <summary>True for a throttled request, or one without an answer in time. Conflicts, refusals and broken connections are no sign of load.</summary>
    internal bool IsOverload =>
        Kind == AwsErrorKind.Throttled || (Kind == AwsErrorKind.Transient && (Status == 503 || Code == TimeoutCode));

    /// <summary>
    /// True for a refusal that a request of another form might not get: of its signature, its headers or its address. A refused key or permission is none.
    /// </summary>
    internal bool MayBeProtocol =>
        Kind == AwsErrorKind.Refused
            && !IsWrongRegion
            && Code != "InvalidToken"
            && (Status is 400 or 405 or 411 or 501 or (>= 300 and < 400) || Code is "SignatureDoesNotMatch" or "MissingSecurityHeader");

    /// <summary>Adapts a fault to a request that reads an object. A HEAD's 404 has no body to say whether object or bucket is missing; a PUT's has.</summary>
    internal static S3Fault OfObject(S3Fault fault) =>
        fault.Status == 404 && fault.Code != "NoSuchBucket" ? fault with { Kind = AwsErrorKind.Missing } : fault;

    // Every refusal that is not known is about bucket, credentials or settings and applies to every object: as poison it would fill the dead
    // letters with good messages.
    private static AwsErrorKind KindOf(int status) => status switch
    {
        412 => AwsErrorKind.Exists,
        429 => AwsErrorKind.Throttled,
        307 or 408 or 409 => AwsErrorKind.Transient,
        413 or 414 => AwsErrorKind.Rejected,
        501 => AwsErrorKind.Refused,
        >= 500 => AwsErrorKind.Transient,
        _ => AwsErrorKind.Refused,
    };

    private static string CodeOf(Exception exception) => exception switch
    {
        HttpRequestException { HttpRequestError: HttpRequestError.ConfigurationLimitExceeded or HttpRequestError.InvalidResponse } => NotS3Code,
        HttpIOException { HttpRequestError: HttpRequestError.ConfigurationLimitExceeded or HttpRequestError.InvalidResponse } => NotS3Code,
        HttpRequestException or IOException or ObjectDisposedException => ConnectionCode,
        AmazonClientException or XmlException => NotS3Code,
        _ => exception.GetType().Name,
    };

    internal static string Bound(string text) => UntrustedText.Shorten(text[..Math.Min(text.Length, MaxCode)]);
}
