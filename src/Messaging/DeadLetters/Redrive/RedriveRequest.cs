namespace Messaging.DeadLetters.Redrive;

/// <summary>What to redrive.</summary>
/// <param name="Reason">Only dead letters of this reason; null for all.</param>
/// <param name="Max">The most dead letters to redrive.</param>
/// <param name="DryRun">True to list only.</param>
/// <param name="Url">The running worker's address; null for the configured one.</param>
/// <param name="Route">The route to send to; null for the dead letter's own.</param>
/// <param name="Rate">The most dead letters per second; null for no limit.</param>
public sealed record RedriveRequest(string? Reason, int Max, bool DryRun, string? Url, string? Route, int? Rate = null)
{
    /// <summary>Only dead letters with these names; null for all. Supported only by the redrive of the folder.</summary>
    public IReadOnlySet<string>? Names { get; init; }

    /// <summary>Receives the counts before the first dead letter, so that the caller can watch them while the redrive runs. Called only by the redrive of the folder.</summary>
    public Action<RedriveProgress>? Started { get; init; }
}
