namespace Proof.Kills;

/// <summary>Sends messages of a ledger to workers that are killed, each again until its outcome is known.</summary>
internal interface ISender : IAsyncDisposable
{
    /// <summary>Settings of the workers.</summary>
    IReadOnlyList<string> Arguments { get; }

    /// <summary>How many workers share the source.</summary>
    int Workers { get; }

    /// <summary>Keeps messages coming until it is cancelled.</summary>
    Task SendAsync(Ledger ledger, CancellationToken stop);

    /// <summary>Whether every message sent has its outcome.</summary>
    Task<bool> IsSettledAsync();

    /// <summary>Bodies of the dead letters that the workers did not keep in their own folder.</summary>
    Task<IReadOnlyList<byte[]>> ReadDeadLettersAsync();
}
