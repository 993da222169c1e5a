namespace Messaging.DeadLetters.Redrive;

/// <summary>What became of a redrive.</summary>
/// <param name="Found">Dead letters that the request asks for.</param>
/// <param name="Sent">Of those, the ones that were taken and deleted.</param>
/// <param name="LeftCount">Dead letters that stay although they were asked for.</param>
/// <param name="Left">The first of those, a line each: which, and why.</param>
/// <param name="AgainCount">Sent ones whose messages were seen dead-lettered again while the redrive ran.</param>
/// <param name="Again">The first of those, a line each: which was sent, the reason and the new dead letter.</param>
/// <param name="Notes">Lines about what the counts do not show.</param>
/// <param name="Ended">Why it ended before every dead letter was tried; null when every one was.</param>
public sealed record RedriveResult(int Found, int Sent, int LeftCount, IReadOnlyList<string> Left, int AgainCount, IReadOnlyList<string> Again, IReadOnlyList<string> Notes, string? Ended)
{
    /// <summary>True when nothing that was asked for stays or was dead-lettered again.</summary>
    public bool IsComplete => LeftCount == 0 && AgainCount == 0 && Ended is null;
}
