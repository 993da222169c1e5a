namespace Messaging.CloudFront.Rows;

/// <summary>Why one row cannot become a document. <see cref="RowFaultCodes.Code"/> gives the text that dead letters and metrics have.</summary>
internal enum RowFault
{
    /// <summary>Nothing is wrong.</summary>
    None = 0,

    /// <summary>Fewer columns than the log's fields directive names.</summary>
    TooFewColumns,

    /// <summary>More columns than the log's fields directive names.</summary>
    TooManyColumns,

    /// <summary>More bytes than a row may have.</summary>
    TooLong,

    /// <summary>A byte 0.</summary>
    Nul,

    /// <summary>A chosen column is not UTF-8.</summary>
    InvalidUtf8,
}
