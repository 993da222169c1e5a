namespace Worker.Archive;

/// <summary>What to do with a message whose id property is missing, null or empty.</summary>
internal enum MissingIdRule
{
    /// <summary>It is dead-lettered as <c>missing-id</c>: its sender should fix it.</summary>
    DeadLetter = 0,

    /// <summary>The source's id replaces it. It is the same on every redelivery, but a message that is sent twice can get two ids.</summary>
    UseSourceId,
}
