namespace Worker.Archive;

/// <summary>What becomes of a message whose id property is missing, null or empty.</summary>
internal enum MissingIdRule
{
    /// <summary>It is dead-lettered as <c>missing-id</c>: its sender should know.</summary>
    DeadLetter = 0,

    /// <summary>The source's id takes its place: stable over redeliveries, but not over a message that is sent twice.</summary>
    UseSourceId,
}
