namespace Messaging.Files;

/// <summary>The outcome of <see cref="DurableFolder.Place"/>.</summary>
internal enum PlaceResult
{
    /// <summary>This call placed the file, durably.</summary>
    Placed = 0,

    /// <summary>A file of that name existed with the same bytes; it is durable now.</summary>
    SameBytes,

    /// <summary>A file of that name existed with other bytes. It is durable now, and was not changed.</summary>
    OtherBytes,
}
