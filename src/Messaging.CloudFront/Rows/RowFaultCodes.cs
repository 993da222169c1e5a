namespace Messaging.CloudFront.Rows;

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
        _ => throw new ArgumentOutOfRangeException(nameof(fault), fault, "Unknown fault."),
    };
}
