namespace Messaging.CloudFront;

/// <summary>
/// Why a whole log can never be read to its end, however often it is tried. <see cref="LogFaultCodes.Code"/> gives the text that goes
/// into dead letters, logs and metrics.
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

    /// <summary>Bytes that are no gzip member follow the last one.</summary>
    GzipTrailingData,

    /// <summary>More bytes than allowed, compressed or not.</summary>
    TooLarge,

    /// <summary>More decompressed bytes a compressed one than allowed.</summary>
    RatioTooHigh,

    /// <summary>The version directive names a version other than 1.0.</summary>
    UnknownVersion,

    /// <summary>A row comes before the directive that names the columns.</summary>
    NoFields,

    /// <summary>The directive names no column, a column twice, or is longer than a row may be.</summary>
    BadFields,

    /// <summary>A configured column is not among those that the log has.</summary>
    MissingColumn,

    /// <summary>More rows than allowed could not be read.</summary>
    TooManyBadRows,
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
        _ => throw new ArgumentOutOfRangeException(nameof(fault), fault, "Unknown fault."),
    };
}
