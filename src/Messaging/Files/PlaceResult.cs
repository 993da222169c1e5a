namespace Messaging.Files;

/// <summary>The outcome of <see cref="DurableFolder.Place"/>.</summary>
internal enum PlaceResult
{
    /// <summary>No outcome: a defect.</summary>
    Undecided = 0,

    /// <summary>This call placed the file, durably.</summary>
    Placed,

    /// <summary>A file of that name existed with the same bytes; it is durable now.</summary>
    SameBytes,

    /// <summary>A file of that name existed with other bytes. It is durable now, and was not changed.</summary>
    OtherBytes,
}
