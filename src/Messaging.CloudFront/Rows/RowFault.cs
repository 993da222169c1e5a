namespace Quayside.Messaging.CloudFront.Rows;

/// <summary>Why one row cannot become a document. <see cref="RowFaultCodes.Code"/> gives the text for dead letters and metrics.</summary>
internal enum RowFault
{
    /// <summary>Nothing is wrong.</summary>
    None = 0,

    /// <summary>Fewer columns than the log's fields directive names.</summary>
    TooFewColumns,

    /// <summary>More columns than the log's fields directive names.</summary>
    TooManyColumns,

    /// <summary>The row has more bytes than allowed.</summary>
    TooLong,

    /// <summary>The row contains a byte 0.</summary>
    Nul,

    /// <summary>A chosen column is not UTF-8.</summary>
    InvalidUtf8,

    /// <summary>The row of a log in JSON is not a JSON object, or has a chosen column twice.</summary>
    NotJson,

    /// <summary>The row of a log in JSON lacks a required column.</summary>
    MissingColumn,
}

/// <summary>The stable texts of <see cref="RowFault"/>. They are part of the contract with users: never changed, never used again.</summary>
internal static class RowFaultCodes
{
    /// <summary>The kebab-case code; empty for <see cref="RowFault.None"/>.</summary>
    public static string Code(this RowFault fault) => fault switch
    {
        RowFault.None => "",
        RowFault.TooFewColumns => "row-too-few-columns",
        RowFault.TooManyColumns => "row-too-many-columns",
        RowFault.TooLong => "row-too-long",
        RowFault.Nul => "row-nul",
        RowFault.InvalidUtf8 => "row-invalid-utf8",
        RowFault.NotJson => "row-not-json",
        RowFault.MissingColumn => "row-missing-column",
        _ => throw new ArgumentOutOfRangeException(nameof(fault), fault, "Unknown fault."),
    };
}
