namespace Quayside.Messaging.CloudFront.Rows;

/// <summary>Why one row cannot become a document: the codes of dead letters and metrics, never changed, never used again.</summary>
internal static class RowFault
{
    /// <summary>Fewer columns than the log's fields directive names.</summary>
    public const string TooFewColumns = "row-too-few-columns";

    /// <summary>More columns than the log's fields directive names.</summary>
    public const string TooManyColumns = "row-too-many-columns";

    /// <summary>The row has more bytes than allowed.</summary>
    public const string TooLong = "row-too-long";

    /// <summary>The row contains a byte 0.</summary>
    public const string Nul = "row-nul";

    /// <summary>A chosen column is not UTF-8.</summary>
    public const string InvalidUtf8 = "row-invalid-utf8";

    /// <summary>The row of a log in JSON is not a JSON object, or has a chosen column twice.</summary>
    public const string NotJson = "row-not-json";

    /// <summary>The row of a log in JSON lacks a required column.</summary>
    public const string MissingColumn = "row-missing-column";
}
