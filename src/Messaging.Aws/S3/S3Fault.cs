namespace Messaging.Aws.S3;

/// <summary>How one request ended. Expected failures are values; exceptions end where the request was made.</summary>
/// <param name="Kind">What it means.</param>
/// <param name="Code">S3's error code, or one of our own where no answer came; empty on success.</param>
/// <param name="Status">The HTTP status; 0 where no answer came.</param>
/// <param name="RequestId">The store's id of the request, for its support; null where it gave none.</param>
/// <param name="RetryAfter">The least wait the store asked for; zero when it did not say.</param>
/// <param name="MayHaveCommitted">True when the store may have done what was asked although it does not look like it.</param>
/// <param name="Region">The region that the store says the bucket is in; null when it did not say.</param>
/// <param name="Detail">What broke where no answer came, such as <c>Connection refused (127.0.0.1:4566)</c>; bounded and escaped, null where it is not known.</param>
/// <param name="Expired">The credentials that the store called expired, so that others are fetched once for all requests that used them; null where unknown.</param>
internal readonly record struct S3Fault(
    S3FaultKind Kind,
    string Code = "",
    int Status = 0,
    string? RequestId = null,
    TimeSpan RetryAfter = default,
    bool MayHaveCommitted = false,
    string? Region = null,
    string? Detail = null,
    SigningCredentials? Expired = null)
{
    /// <summary>
    /// What happened, such as <c>S3 PutObject: SlowDown (503, request 4442587FB7D0A2F9)</c> or
    /// <c>S3 PutObject: ConnectionError: Connection refused (127.0.0.1:4566)</c>.
    /// </summary>
    public string Describe(string operation)
    {
        string status = Status == 0 ? string.Empty : $" ({Status}{(RequestId is null ? string.Empty : $", request {RequestId}")})";
        return $"S3 {operation}: {Code}{status}{(Detail is null ? string.Empty : $": {Detail}")}";
    }
}
