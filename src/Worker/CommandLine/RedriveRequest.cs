namespace Worker.CommandLine;

/// <summary>What to redrive.</summary>
/// <param name="Reason">Only letters of this reason; null for all.</param>
/// <param name="Max">Letters at most.</param>
/// <param name="DryRun">True to list only.</param>
/// <param name="Url">The running worker's address; null for the configured one.</param>
/// <param name="Route">The route to send to; null for the letter's own.</param>
internal sealed record RedriveRequest(string? Reason, int Max, bool DryRun, string? Url, string? Route);
