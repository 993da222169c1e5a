using System.Net;
using System.Xml;
using Azure;
using Azure.Identity;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.AzureBlobs;

/// <summary>
/// How one request ended. Expected failures are values. Codes: "Blob Storage error codes" and "Common REST API error codes" in Azure's REST reference.
/// </summary>
/// <param name="Kind">What it means.</param>
/// <param name="Code">The store's error code, or one of the worker's when no answer arrived; empty on success.</param>
/// <param name="Status">The HTTP status; 0 when no answer arrived.</param>
/// <param name="RequestId">The store's id of the request, for support cases; null when there is none.</param>
/// <param name="RetryAfter">The minimum wait that the store asked for; zero without one.</param>
/// <param name="MayHaveCommitted">True when the store may have carried out the request despite the failure.</param>
/// <param name="Detail">The connection's failure when no answer arrived; escaped, null when unknown.</param>
internal readonly record struct BlobFault(
    BlobFaultKind Kind, string Code = "", int Status = 0, string? RequestId = null, TimeSpan RetryAfter = default, bool MayHaveCommitted = false,
    string? Detail = null)
{
    /// <summary>Azure.Identity found no credentials, or they were not accepted.</summary>
    public const string CredentialsCode = "CredentialsUnavailable";

    /// <summary>No answer within the attempt's time.</summary>
    public const string TimeoutCode = "Timeout";

    /// <summary>The credentials lack a right.</summary>
    public const string MissingRight = "AuthorizationPermissionMismatch";

    private const string ConnectionCode = "ConnectionError";

    // A success in a form that Blob Storage never sends: probably a proxy's.
    private const string NotBlobsCode = "NotABlobStorageAnswer";

    private const string NotBlobsDetail = "the address answers, but is not Blob Storage: check Sinks:AzureBlobs:Endpoint or ConnectionString";

    // A store's code is shown to people; every code of Azure is shorter.
    private const int MaxCode = 64;

    /// <summary>No fault.</summary>
    public static BlobFault None => new(BlobFaultKind.None);

    /// <summary>True for an answer that Blob Storage never sends.</summary>
    public bool IsForeign => Code == NotBlobsCode;

    /// <summary>True for a throttled request, or one without an answer in time. Conflicts, refusals and broken connections are no sign of load.</summary>
    public bool IsOverload => Kind == BlobFaultKind.Throttled || (Kind == BlobFaultKind.Transient && (Status == 503 || Code == TimeoutCode));

    /// <summary>The fault of an exception of the client. An exception of an unknown type is transient, with the type's name as the code.</summary>
    /// <param name="exception">What was thrown.</param>
    /// <param name="timedOut">True when the attempt's time had ended.</param>
    public static BlobFault Of(Exception exception, bool timedOut = false)
    {
        if (timedOut || exception is OperationCanceledException or TimeoutException)
        {
            return new BlobFault(BlobFaultKind.Transient, TimeoutCode, MayHaveCommitted: true);
        }

        return exception switch
        {
            AuthenticationFailedException => new BlobFault(BlobFaultKind.Refused, CredentialsCode),
            RequestFailedException { Status: > 0 } answer => OfAnswer(answer.Status, answer.ErrorCode, answer.GetRawResponse()),
            RequestFailedException
            {
                InnerException: HttpRequestException
                {
                    HttpRequestError: HttpRequestError.ConfigurationLimitExceeded
                or HttpRequestError.InvalidResponse
                }
            } => NotBlobs(0),
            RequestFailedException or IOException or HttpRequestException =>
                new BlobFault(
                    BlobFaultKind.Transient, ConnectionCode, MayHaveCommitted: true,
                    Detail: ConnectionFault.Describe(exception is RequestFailedException { InnerException: { } inner } ? inner : exception)),
            XmlException or FormatException => NotBlobs(0),
            _ => new BlobFault(BlobFaultKind.Transient, exception.GetType().Name, MayHaveCommitted: true),
        };
    }

    /// <summary>Classifies an answer that is not the expected success. Its texts are untrusted and are bounded and escaped.</summary>
    /// <param name="status">The HTTP status.</param>
    /// <param name="code">The store's code; null without one.</param>
    /// <param name="answer">Its headers; null for none.</param>
    public static BlobFault OfAnswer(int status, string? code, Response? answer = null)
    {
        // An error of Blob Storage has a code, and its id of the request.
        if (status < 400 || (status is 400 or 401 or 403 or 404 or 405 && string.IsNullOrEmpty(code) && string.IsNullOrEmpty(answer?.Headers.RequestId)))
        {
            return NotBlobs(status, answer?.ContentStream is MemoryStream sent ? sent.ToArray() : []);
        }

        BlobFaultKind kind = KindOf(status, code);
        return new BlobFault(
            kind,
            string.IsNullOrEmpty(code) ? ((HttpStatusCode)status).ToString() : Bound(code),
            status,
            answer?.Headers.RequestId is { Length: > 0 } id ? Bound(id) : null,
            answer is not null && answer.Headers.TryGetValue("Retry-After", out string? wait) && uint.TryParse(wait, out uint seconds)
                ? TimeSpan.FromSeconds(seconds)
                : default,

            // A 503 means that nothing was done; the other 5xx leave that open.
            MayHaveCommitted: kind is BlobFaultKind.Transient or BlobFaultKind.Throttled && status is 500 or 502 or 504);
    }

    /// <summary>An answer that Blob Storage never sends.</summary>
    /// <param name="status">The HTTP status; 0 without one.</param>
    /// <param name="body">Its body, of which the begin is quoted.</param>
    public static BlobFault NotBlobs(int status, ReadOnlySpan<byte> body = default) => new(
        BlobFaultKind.Transient,
        NotBlobsCode,
        status,
        MayHaveCommitted: true,
        Detail: body.IsEmpty ? NotBlobsDetail : $"{NotBlobsDetail}. It sent {UntrustedText.Quote(body)}");

    /// <summary>What happened, such as <c>AzureBlobs PutBlob: ServerBusy (503, request 7c31…)</c>.</summary>
    public string Describe(ApiOperation operation)
    {
        string status = Status == 0 ? string.Empty : $" ({Status}{(RequestId is null ? string.Empty : $", request {RequestId}")})";
        string code = Kind == BlobFaultKind.Undecided ? "the client reported no outcome, a defect of the worker" : Code;
        return $"{operation}: {code}{status}{(Detail is null ? string.Empty : $": {Detail}")}";
    }

    // Every refusal that is not known is about container, credentials or settings and applies to every blob: as poison it would fill the dead
    // letters with good messages.
    private static BlobFaultKind KindOf(int status, string? code) => code switch
    {
        // A lease, another type of blob, an immutability policy and a signature without the right to overwrite protect a blob that exists.
        "BlobAlreadyExists" or "ConditionNotMet" or "TargetConditionNotMet" or "LeaseIdMissing" or "InvalidBlobType"
            or "BlobImmutableDueToPolicy" or "BlobImmutableDueToLegalHold" or "UnauthorizedBlobOverwrite" => BlobFaultKind.Exists,
        "BlobNotFound" => BlobFaultKind.Missing,
        "BlobArchived" or "BlobBeingRehydrated" => BlobFaultKind.Archived,
        "ServerBusy" or "OperationTimedOut" => BlobFaultKind.Throttled,
        "Md5Mismatch" or "RequestTimeout" => BlobFaultKind.Transient,
        "RequestBodyTooLarge" or "InvalidResourceName" or "InvalidUri" or "OutOfRangeInput" or "RequestUrlFailedToParse" => BlobFaultKind.Rejected,
        "ContainerDisabled" => BlobFaultKind.Refused,
        _ => status switch
        {
            412 => BlobFaultKind.Exists,
            429 => BlobFaultKind.Throttled,
            408 or 409 => BlobFaultKind.Transient,
            413 or 414 => BlobFaultKind.Rejected,
            501 or 505 => BlobFaultKind.Refused,
            >= 500 => BlobFaultKind.Transient,
            _ => BlobFaultKind.Refused,
        },
    };

    private static string Bound(string text) => UntrustedText.Shorten(text[..Math.Min(text.Length, MaxCode)]);
}

/// <summary>What the outcome of a request means for the sink.</summary>
internal enum BlobFaultKind
{
    /// <summary>No outcome: a defect of the client. The request does not count as successful.</summary>
    Undecided = 0,

    /// <summary>The request succeeded.</summary>
    None,

    /// <summary>A blob with this name exists.</summary>
    Exists,

    /// <summary>The blob does not exist.</summary>
    Missing,

    /// <summary>The blob is in the archive tier and cannot be read.</summary>
    Archived,

    /// <summary>Too many requests: back off; the same request works later.</summary>
    Throttled,

    /// <summary>Unreachable, timed out, damaged in transit or a fault of the service: the same request may work later.</summary>
    Transient,

    /// <summary>The service refuses the worker: an operator must correct permissions, credentials or settings.</summary>
    Refused,

    /// <summary>The service never accepts this request, for its size or its name.</summary>
    Rejected,
}
