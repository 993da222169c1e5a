namespace Integration.Tests.Faults.S3;

/// <summary>An error answer of S3, after the error code list of its API reference.</summary>
internal sealed record S3Error(int Status, string Code, string Message)
{
    public static S3Error SlowDown { get; } = new(503, "SlowDown", "Please reduce your request rate.");

    public static S3Error InternalError { get; } = new(500, "InternalError", "We encountered an internal error. Please try again.");

    public static S3Error Conflict { get; } =
        new(409, "ConditionalRequestConflict", "The conditional request cannot succeed due to a conflicting operation against this resource.");

    public static S3Error AccessDenied { get; } = new(403, "AccessDenied", "Access Denied");

    public static S3Error NoSuchBucket { get; } = new(404, "NoSuchBucket", "The specified bucket does not exist");

    public static S3Error NoSuchKey { get; } = new(404, "NoSuchKey", "The specified key does not exist.");

    public static S3Error ExpiredToken { get; } = new(400, "ExpiredToken", "The provided token has expired.");

    public static S3Error PreconditionFailed { get; } = new(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold");

    public static S3Error NotImplemented { get; } = new(501, "NotImplemented", "A header or query you provided implies functionality that is not implemented.");

    public static S3Error KeyTooLong { get; } = new(400, "KeyTooLongError", "Your key is too long");

    public static S3Error MissingContentLength { get; } = new(411, "MissingContentLength", "You must provide the Content-Length HTTP header.");

    public static S3Error InvalidDigest { get; } = new(400, "InvalidDigest", "The Content-MD5 you specified is not valid.");

    public static S3Error PayloadHashMismatch { get; } =
        new(400, "XAmzContentSHA256Mismatch", "The provided 'x-amz-content-sha256' header does not match what was computed.");

    public static S3Error BadDigest(string which) => new(400, "BadDigest", $"The {which} you specified did not match the calculated checksum.");

    public static S3Error IncompleteBody(string why) => new(400, "IncompleteBody", $"The request body is not what its headers announced: {why}.");

    public static S3Error InvalidRequest(string why) => new(400, "InvalidRequest", why);

    /// <summary>The error answer of a fault; null for faults without one.</summary>
    public static S3Error? Of(S3Fault fault) => fault switch
    {
        S3Fault.SlowDown => SlowDown,
        S3Fault.InternalError => InternalError,
        S3Fault.Conflict => Conflict,
        S3Fault.AccessDenied => AccessDenied,
        S3Fault.NoSuchBucket => NoSuchBucket,
        S3Fault.ExpiredToken => ExpiredToken,
        _ => null,
    };
}
