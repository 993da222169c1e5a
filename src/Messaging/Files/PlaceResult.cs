namespace Messaging.Files;

/// <summary>What became of one <see cref="DurableFolder.Place"/>.</summary>
internal enum PlaceResult
{
    /// <summary>The file is there, durably, placed by this call.</summary>
    Placed = 0,

    /// <summary>A file of that name was there before with the same bytes; it is durable now.</summary>
    SameBytes,

    /// <summary>A file of that name was there before with other bytes. Nothing was changed.</summary>
    OtherBytes,
}
