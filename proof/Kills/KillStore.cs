namespace Proof.Kills;

/// <summary>The store of a kill round.</summary>
internal enum KillStore
{
    /// <summary>The seed decides.</summary>
    Any,

    /// <summary>A folder.</summary>
    Folder,

    /// <summary>A bucket of the server that S3_ENDPOINT names.</summary>
    S3,

    /// <summary>A container of Azurite.</summary>
    AzureBlobs,
}
