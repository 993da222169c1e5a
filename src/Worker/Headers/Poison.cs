namespace Worker.Headers;

/// <summary>Why and where a body is poison: an expected outcome, hence a value. The default value means "not poison".</summary>
/// <param name="Reason">What is wrong: the first fault in reading order, except that invalid UTF-8 is looked for first.</param>
/// <param name="Position">Zero-based index in the body (a byte order mark counts) of the byte where the fault was noticed.</param>
/// <param name="Property">
/// The path that the key uses, where the fault is at it; else the top-level property in which it was noticed, or the one that is doubled; printable ASCII, at most
/// <see cref="PropertyLogText.MaxLength"/> characters, so that it can be logged. Null when no property is concerned.
/// </param>
internal readonly record struct Poison(PoisonReason Reason, int Position, string? Property)
{
    /// <summary>One line for a log or a dead letter's description, such as <c>wrong-type at byte 12, property "Product"</c>.</summary>
    public override string ToString() => Property is null
        ? $"{Reason.Code()} at byte {Position}"
        : $"{Reason.Code()} at byte {Position}, property \"{Property}\"";
}
