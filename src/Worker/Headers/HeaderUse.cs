namespace Worker.Headers;

/// <summary>What a property's value is used for; one property may be used in more than one way.</summary>
[Flags]
internal enum HeaderUse
{
    None = 0,

    /// <summary>As text: a string.</summary>
    Text = 1,

    /// <summary>As a date: a string that is a date, or empty.</summary>
    Date = 2,

    /// <summary>As the JSON text of a number or a boolean.</summary>
    Number = 4,

    /// <summary>As a date in seconds since 1970: a number, or a string with one.</summary>
    Epoch = 8,

    /// <summary>As a date in milliseconds since 1970: a number, or a string with one.</summary>
    EpochMs = 16,

    /// <summary>Every kind of date; a property has at most one.</summary>
    AnyDate = Date | Epoch | EpochMs,
}
