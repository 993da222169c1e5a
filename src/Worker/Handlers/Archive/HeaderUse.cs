namespace Worker.Handlers.Archive;

/// <summary>What a property's value is used for; one property may be used in more than one way.</summary>
[Flags]
internal enum HeaderUse
{
    None = 0,

    /// <summary>As text.</summary>
    Text = 1,

    /// <summary>As a date: a string that is not empty must be one.</summary>
    Date = 2,
}
