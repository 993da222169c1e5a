using System.Globalization;
using System.Net;
using Amazon.Runtime;
using Amazon.Runtime.Internal;
using Amazon.Runtime.Internal.Transform;
using Worker.Aws;
using Worker.Telemetry;

namespace Worker.Sinks.S3;

/// <summary>Sorts what the SDK throws. Codes from https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html.</summary>
internal static class S3Faults
{
    /// <summary>No answer within the attempt's time.</summary>
    public const string TimeoutCode = "Timeout";

    /// <summary>No answer: refused, reset, unresolvable, broken off.</summary>
    public const string ConnectionCode = "ConnectionError";

    /// <summary>An answer that no S3 gives: a success without an ETag, not XML, without end.</summary>
    public const string NotS3Code = "NotAnS3Answer";

    // What a store says in a code is shown to people: this long is enough for every code S3 has.
    private const int MaxCode = 64;

    /// <summary>Sorts an exception. One of an unknown kind is transient under its own name: the message stays where it is, and somebody asks why.</summary>
    /// <param name="exception">What the SDK threw.</param>
    /// <param name="timedOut">True when the attempt's time was over.</param>
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
            return new S3Fault(S3FaultKind.Transient, CodeOf(exception), MayHaveCommitted: true);
        }

        int status = (int)answer.StatusCode;
        if (status is >= 200 and < 300)
        {
            // It said yes in a form that the SDK could not read.
            return new S3Fault(S3FaultKind.Transient, NotS3Code, status, MayHaveCommitted: true);
        }

        IWebResponseData? data = (answer.InnerException as HttpErrorResponseException)?.Response;
        S3FaultKind kind = KindOf(status, answer.ErrorCode ?? string.Empty);
        return new S3Fault(
            kind,
            CodeOf(answer, status),
            status,
            string.IsNullOrEmpty(answer.RequestId) ? null : Bound(answer.RequestId),
            RetryAfterOf(data),

            // 503 says that nothing was done; the other 5xx say nothing of the kind.
            MayHaveCommitted: kind == S3FaultKind.Transient && status is 500 or 502 or 504,
            RegionOf(data));
    }

    private static S3FaultKind KindOf(int status, string code) => code switch
    {
        // "PreconditionFailed" is also what the SDK makes of a 412 without a body.
        "PreconditionFailed" => S3FaultKind.Exists,
        "NoSuchKey" => S3FaultKind.Missing,

        "RequestTimeTooSkewed" or "RequestExpired" or "RequestInTheFuture" => S3FaultKind.ClockSkew,
        "ExpiredToken" or "TokenRefreshRequired" => S3FaultKind.ExpiredCredentials,

        // 409: another conditional write of the key is under way. AWS: "retry the upload"; the SDK does not.
        "ConditionalRequestConflict" or "OperationAborted" => S3FaultKind.Transient,

        // Damaged or cut on the way; the same bytes sent again are right.
        "BadDigest" or "XAmzContentSHA256Mismatch" or "XAmzContentChecksumMismatch" or "IncompleteBody" or "RequestTimeout"
            or "RequestTimeoutException" => S3FaultKind.Transient,

        "SlowDown" or "Throttling" or "ThrottlingException" or "RequestLimitExceeded" or "TooManyRequests" or "Busy"
            or "QuotaExceeded" or "InternalError" or "ServiceUnavailable" or "TemporaryRedirect" => S3FaultKind.Transient,

        "EntityTooLarge" or "KeyTooLongError" or "KeyTooLong" or "InvalidURI" or "InvalidObjectName" or "XMinioInvalidObjectName" => S3FaultKind.Rejected,

        // Everything else a store says no with is about bucket, credentials or settings, and would be said to every object.
        // To call it poison would fill the dead letters with good messages.
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
        HttpRequestException or IOException or ObjectDisposedException => ConnectionCode,
        AmazonClientException => NotS3Code,
        _ => exception.GetType().Name,
    };

    private static string CodeOf(AmazonServiceException answer, int status) =>
        string.IsNullOrEmpty(answer.ErrorCode) ? ((HttpStatusCode)status).ToString() : Bound(answer.ErrorCode);

    private static string Bound(string text) => UntrustedText.Shorten(text[..Math.Min(text.Length, MaxCode)]);

    private static TimeSpan RetryAfterOf(IWebResponseData? data)
    {
        if (data?.GetHeaderValue("Retry-After") is not { Length: > 0 } text)
        {
            return TimeSpan.Zero;
        }

        // The form with a date needs the store's clock and is not used by stores; seconds up to an hour are believed.
        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int seconds) ? TimeSpan.FromSeconds(Math.Min(seconds, 3_600)) : TimeSpan.Zero;
    }

    private static string? RegionOf(IWebResponseData? data) =>
        data?.GetHeaderValue("x-amz-bucket-region") is { } region && AwsRegion.IsWellFormed(region) ? region : null;
}
