using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws;

/// <summary>
/// An AWS call failed as a whole; failures of single batch entries are values. Contains no credentials, body or receipt handle; text from
/// the service is bounded and escaped.
/// </summary>
internal sealed class AwsServiceException : Exception
{
    private AwsServiceException(AwsErrorKind kind, string operation, string code, string detail, Exception? innerException)
        : base($"{operation} failed: {code}{(detail.Length == 0 ? string.Empty : $": {detail}")}{KmsAdvice(operation, code)}", innerException)
    {
        Kind = kind;
        Operation = operation;
        Code = code;
        Detail = detail;
    }

    /// <summary>What it means for the caller; never <see cref="AwsErrorKind.None"/> or <see cref="AwsErrorKind.Undecided"/>.</summary>
    public AwsErrorKind Kind { get; }

    /// <summary>The call, such as <c>ReceiveMessage</c>.</summary>
    public string Operation { get; }

    /// <summary>AWS's error code without prefix, or one of the worker's for failures without an answer (<c>Timeout</c>, <c>ConnectionError</c>, ...).</summary>
    public string Code { get; }

    /// <summary>The service's message: at most 256 bytes of it, escaped; may be empty.</summary>
    public string Detail { get; }

    /// <summary>The HTTP status; 0 when no answer arrived.</summary>
    public int Status { get; private init; }

    /// <summary>The service's id of the request, for support cases; null when there is none.</summary>
    public string? RequestId { get; private init; }

    /// <summary>The minimum wait that the service asked for (Retry-After); zero without one.</summary>
    public TimeSpan RetryAfter { get; private init; }

    // "Configure KMS permissions for Amazon SQS": a sender needs both, a receiver the second.
    private static string KmsAdvice(string operation, string code) => !code.StartsWith("Kms", StringComparison.Ordinal) || code == "KmsThrottled" ? string.Empty
        : "; check that the queue's KMS key is enabled, and that its policy and the worker's role allow "
            + $"{(operation.StartsWith("Send", StringComparison.Ordinal) ? "kms:GenerateDataKey and " : string.Empty)}kms:Decrypt";

    /// <summary>The service answered with an error.</summary>
    public static AwsServiceException FromResponse(string operation, AwsError error, AwsErrorKind kind) =>
        new(kind, operation, error.Code.Length == 0 ? $"HTTP {error.Status}" : error.Code, error.Message.TrimEnd('.'), innerException: null)
        {
            Status = error.Status,
            RequestId = error.RequestId,
            RetryAfter = error.RetryAfter,
        };

    /// <summary>There was no answer, or an invalid one.</summary>
    public static AwsServiceException Local(AwsErrorKind kind, string operation, string code, string detail, Exception? innerException = null) =>
        new(kind, operation, code, UntrustedText.Shorten(detail.TrimEnd('.')), innerException);
}
