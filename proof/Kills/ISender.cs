namespace Proof.Kills;

/// <summary>Sends a ledger's messages to workers that are killed at random, and resends each until its outcome is known.</summary>
internal interface ISender : IAsyncDisposable
{
    /// <summary>Settings of the workers.</summary>
    IReadOnlyList<string> Arguments { get; }

    /// <summary>How many workers share the source.</summary>
    int Workers { get; }

    /// <summary>Sends messages until it is cancelled.</summary>
    Task SendAsync(Ledger ledger, CancellationToken stop);

    /// <summary>A worker was killed, and another has started.</summary>
    /// <param name="kill">The number of the kill in its round, from 1.</param>
    Task KilledAsync(int kill) => Task.CompletedTask;

    /// <summary>Whether every message sent has its outcome.</summary>
    Task<bool> IsSettledAsync();

    /// <summary>Bodies of the dead letters outside the workers' own folder.</summary>
    Task<IReadOnlyList<byte[]>> ReadDeadLettersAsync();
}
