namespace Quayside.Messaging.CloudFront.Rows;

/// <summary>
/// Why a log can never be read to its end, whatever is retried: the codes of dead letters, log lines and metrics. They are part of the contract with users:
/// never changed, never used again.
/// </summary>
internal static class LogFault
{
    /// <summary>The object is empty or does not begin with gzip's two magic bytes (RFC 1952).</summary>
    public const string NotGzip = "not-gzip";

    /// <summary>The object ends within a gzip member: its end, its checksum or its length is missing.</summary>
    public const string GzipTruncated = "gzip-truncated";

    /// <summary>A member's data, its CRC-32 or its length (ISIZE) is wrong.</summary>
    public const string GzipCorrupt = "gzip-corrupt";

    /// <summary>The last gzip member is followed by bytes that are not a gzip member.</summary>
    public const string GzipTrailingData = "gzip-trailing-data";

    /// <summary>The log has more bytes than allowed, compressed or decompressed.</summary>
    public const string TooLarge = "log-too-large";

    /// <summary>More decompressed bytes per compressed byte than allowed.</summary>
    public const string RatioTooHigh = "gzip-ratio-too-high";

    /// <summary>The version directive names a version other than 1.0.</summary>
    public const string UnknownVersion = "log-unknown-version";

    /// <summary>A row comes before the directive that names the columns.</summary>
    public const string NoFields = "log-no-fields";

    /// <summary>The fields directive names no column, names a column twice, or is longer than a row may be.</summary>
    public const string BadFields = "log-bad-fields";

    /// <summary>The log lacks a configured column.</summary>
    public const string MissingColumn = "log-missing-column";

    /// <summary>More rows than allowed could not be read.</summary>
    public const string TooManyBadRows = "log-too-many-bad-rows";

    /// <summary>The log has rows, and none of them became a document.</summary>
    public const string NoDocuments = "log-no-documents";
}
