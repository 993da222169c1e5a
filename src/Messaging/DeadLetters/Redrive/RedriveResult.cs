namespace Messaging.DeadLetters.Redrive;

/// <summary>The result of a redrive.</summary>
/// <param name="Found">Dead letters that the request asks for.</param>
/// <param name="Sent">Of those, the ones that were accepted and deleted.</param>
/// <param name="LeftCount">Dead letters that stay although they were asked for.</param>
/// <param name="Left">The first of those, one line each: the name and why it stays.</param>
/// <param name="AgainCount">Dead letters that were sent and whose messages were seen dead-lettered again while the redrive ran.</param>
/// <param name="Again">The first of those, one line each: the name of the one that was sent, the reason and the new dead letter.</param>
/// <param name="Notes">Lines about what the counts do not show.</param>
/// <param name="Ended">Why the redrive ended before every dead letter was tried; null when all were tried.</param>
public sealed record RedriveResult(int Found, int Sent, int LeftCount, IReadOnlyList<string> Left, int AgainCount, IReadOnlyList<string> Again, IReadOnlyList<string> Notes, string? Ended)
{
    /// <summary>True when nothing that was asked for stays or was dead-lettered again.</summary>
    public bool IsComplete => LeftCount == 0 && AgainCount == 0 && Ended is null;
}
