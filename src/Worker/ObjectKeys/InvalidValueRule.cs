namespace Worker.ObjectKeys;

/// <summary>What becomes of a message with a value that the rule of its placeholder does not take.</summary>
internal enum InvalidValueRule
{
    /// <summary>The part is <c>invalid</c>: all such values share a prefix.</summary>
    Default = 0,

    /// <summary>It is dead-lettered as <c>invalid-value</c>.</summary>
    DeadLetter,

    /// <summary>The value is escaped, as the rule <c>encode</c> does it.</summary>
    Encode,
}
