namespace Worker.Archive;

/// <summary>What becomes of a message in which a property of the key is missing, null or empty. The id has <see cref="MissingIdRule"/>.</summary>
internal enum MissingPropertyRule
{
    /// <summary>The part is <c>unknown</c>; the levels of a date are left out.</summary>
    Default = 0,

    /// <summary>It is dead-lettered as <c>missing-property</c>.</summary>
    DeadLetter,
}
