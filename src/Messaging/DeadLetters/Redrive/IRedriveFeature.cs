using Quayside.Messaging.Configuration;
using Quayside.Messaging.Publishing;

namespace Quayside.Messaging.DeadLetters.Redrive;

/// <summary>
/// Offers the dead-letter queue of a source to <c>redrive --from</c>, under the name of the source in lower case. The class that implements
/// <see cref="Sources.ISourceFeature"/> implements this interface too; its section has the setting <c>Queue</c>.
/// </summary>
internal interface IRedriveFeature
{
    /// <summary>Reads and checks the settings; problems go into the reader. Touches nothing outside the configuration.</summary>
    /// <returns>
    /// The function that opens the queue; called only when there was no problem. It throws <see cref="StartupException"/> when the queue is missing, refused or
    /// unreachable.
    /// </returns>
    /// <exception cref="StartupException">An argument is wrong.</exception>
    Func<CommandServices, CancellationToken, Task<IDeadLetterQueue>> ConfigureRedrive(SettingsReader settings, RedriveRequest request);
}

/// <summary>What to redrive.</summary>
/// <param name="Reason">Only dead letters of this reason; null for all.</param>
/// <param name="Max">The maximum number of dead letters to redrive.</param>
/// <param name="DryRun">True to list only.</param>
/// <param name="Url">The running worker's address; null for the configured one.</param>
/// <param name="Route">The route to send to; null for the dead letter's own.</param>
/// <param name="Rate">The maximum number of dead letters per second; null for no limit.</param>
internal sealed record RedriveRequest(string? Reason, int Max, bool DryRun, string? Url, string? Route, int? Rate = null)
{
    /// <summary>Only dead letters with these names, as a dry run lists them; null for all.</summary>
    public IReadOnlySet<string>? Names { get; init; }

    /// <summary>True to move the dead letters to the folder <c>DeadLetters:Path</c> and send nothing.</summary>
    public bool ToFolder { get; init; }

    /// <summary>True to show the start of each body in a dry run.</summary>
    public bool Bodies { get; init; }

    /// <summary>
    /// Receives the counts before the first dead letter, so that the caller can watch them while the redrive runs; null when it is not watched.
    /// </summary>
    public Action<RedriveProgress>? Started { get; init; }
}

/// <summary>The result of a redrive.</summary>
/// <param name="Found">Dead letters that the request asks for.</param>
/// <param name="Sent">Of those, the ones that were accepted and deleted.</param>
/// <param name="LeftCount">Dead letters that stay although they were asked for.</param>
/// <param name="Left">The first of those, one line each: the name and why it stays.</param>
/// <param name="AgainCount">Dead letters that were sent and whose messages were seen dead-lettered again while the redrive ran.</param>
/// <param name="Again">The first of those, one line each: the name of the one that was sent, the reason and the new dead letter.</param>
/// <param name="Notes">Lines about what the counts do not show.</param>
/// <param name="Ended">Why the redrive ended before every dead letter was tried; null when all were tried.</param>
internal sealed record RedriveResult(
    int Found, int Sent, int LeftCount, IReadOnlyList<string> Left, int AgainCount, IReadOnlyList<string> Again, IReadOnlyList<string> Notes, string? Ended)
{
    /// <summary>True when no dead letter has the reason that was asked for, and others have other reasons.</summary>
    public bool IsUnknownReason { get; init; }

    /// <summary>True when nothing that was asked for stays or was dead-lettered again.</summary>
    public bool IsComplete => LeftCount == 0 && AgainCount == 0 && Ended is null;
}
