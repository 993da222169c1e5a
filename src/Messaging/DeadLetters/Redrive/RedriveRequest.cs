namespace Messaging.DeadLetters.Redrive;

/// <summary>What to redrive.</summary>
/// <param name="Reason">Only dead letters of this reason; null for all.</param>
/// <param name="Max">Dead letters at most.</param>
/// <param name="DryRun">True to list only.</param>
/// <param name="Url">The running worker's address; null for the configured one.</param>
/// <param name="Route">The route to send to; null for the dead letter's own.</param>
/// <param name="Rate">Dead letters per second at most; null for no limit.</param>
public sealed record RedriveRequest(string? Reason, int Max, bool DryRun, string? Url, string? Route, int? Rate = null)
{
    /// <summary>Only dead letters of these names; null for all. Only the folder's can be chosen.</summary>
    public IReadOnlySet<string>? Names { get; init; }

    /// <summary>Is handed the counts before the first dead letter, to watch them while the redrive runs. Only the folder's redrive does so.</summary>
    public Action<RedriveProgress>? Started { get; init; }
}
