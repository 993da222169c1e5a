namespace Messaging.Telemetry;

/// <summary>How many lines a <see cref="LogThrottle"/> held back before this one; as text the end of the line, empty where there were none.</summary>
/// <param name="Count">The lines.</param>
public readonly record struct SuppressedLines(long Count)
{
    /// <inheritdoc/>
    public override string ToString() => Count == 0 ? string.Empty : $" ({Count} more such lines were not shown)";
}
