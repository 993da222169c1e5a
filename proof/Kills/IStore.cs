namespace Proof.Kills;

/// <summary>The store of the workers, read without them.</summary>
internal interface IStore : IAsyncDisposable
{
    /// <summary>Settings of the workers.</summary>
    IReadOnlyList<string> Arguments { get; }

    /// <summary>Every object by its key.</summary>
    Task<IReadOnlyDictionary<string, byte[]>> ReadAsync();
}
