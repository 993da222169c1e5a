namespace Worker.ObjectKeys;

/// <summary>What becomes of a message in which a property of the key is missing, null or empty. A missing id has a rule of its own.</summary>
internal enum MissingPropertyRule
{
    /// <summary>The part is <c>unknown</c>; the levels of a date are left out.</summary>
    Default = 0,

    /// <summary>It is dead-lettered as <c>missing-property</c>.</summary>
    DeadLetter,
}
