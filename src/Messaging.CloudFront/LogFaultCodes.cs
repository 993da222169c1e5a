namespace Messaging.CloudFront;

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
