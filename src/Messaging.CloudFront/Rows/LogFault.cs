namespace Quayside.Messaging.CloudFront.Rows;

/// <summary>
/// Why a log can never be read to its end, whatever is retried. <see cref="LogFaultCodes.Code"/> gives the text for dead letters, log
/// lines and metrics.
/// </summary>
internal enum LogFault
{
    /// <summary>Nothing is wrong.</summary>
    None = 0,

    /// <summary>The object is empty or does not begin with gzip's two magic bytes (RFC 1952).</summary>
    NotGzip,

    /// <summary>The object ends within a gzip member: its end, its checksum or its length is missing.</summary>
    GzipTruncated,

    /// <summary>A member's data, its CRC-32 or its length (ISIZE) is wrong.</summary>
    GzipCorrupt,

    /// <summary>The last gzip member is followed by bytes that are not a gzip member.</summary>
    GzipTrailingData,

    /// <summary>The log has more bytes than allowed, compressed or decompressed.</summary>
    TooLarge,

    /// <summary>More decompressed bytes per compressed byte than allowed.</summary>
    RatioTooHigh,

    /// <summary>The version directive names a version other than 1.0.</summary>
    UnknownVersion,

    /// <summary>A row comes before the directive that names the columns.</summary>
    NoFields,

    /// <summary>The fields directive names no column, names a column twice, or is longer than a row may be.</summary>
    BadFields,

    /// <summary>The log lacks a configured column.</summary>
    MissingColumn,

    /// <summary>More rows than allowed could not be read.</summary>
    TooManyBadRows,

    /// <summary>The log has rows, and none of them became a document.</summary>
    NoDocuments,
}

/// <summary>The stable texts of <see cref="LogFault"/>. They are part of the contract with users: never changed, never used again.</summary>
internal static class LogFaultCodes
{
    /// <summary>The kebab-case code; empty for <see cref="LogFault.None"/>.</summary>
    public static string Code(this LogFault fault) => fault switch
    {
        LogFault.None => "",
        LogFault.NotGzip => "not-gzip",
        LogFault.GzipTruncated => "gzip-truncated",
        LogFault.GzipCorrupt => "gzip-corrupt",
        LogFault.GzipTrailingData => "gzip-trailing-data",
        LogFault.TooLarge => "log-too-large",
        LogFault.RatioTooHigh => "gzip-ratio-too-high",
        LogFault.UnknownVersion => "log-unknown-version",
        LogFault.NoFields => "log-no-fields",
        LogFault.BadFields => "log-bad-fields",
        LogFault.MissingColumn => "log-missing-column",
        LogFault.TooManyBadRows => "log-too-many-bad-rows",
        LogFault.NoDocuments => "log-no-documents",
        _ => throw new ArgumentOutOfRangeException(nameof(fault), fault, "Unknown fault."),
    };
}
