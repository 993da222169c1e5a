using System.Text.Json.Serialization;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.DeadLetters.Redrive;

namespace Quayside.Messaging.Console.Api;

/// <summary>The answer of <c>/api/v1/dead-letters</c>.</summary>
/// <param name="Folder">Where they are.</param>
/// <param name="Available">True: the folder can be read.</param>
/// <param name="Truncated">True when there are more than are listed and counted.</param>
/// <param name="Reasons">The reasons of all that are known.</param>
/// <param name="Letters">Those that were asked for, the newest first.</param>
/// <param name="Next">The value of <c>after</c> for the rest; null at the end.</param>
/// <param name="Matching">How many match the filter.</param>
/// <param name="Unread">How many records are not read yet; a later request reads on.</param>
/// <param name="DiscardedDays">Days after which a discarded one is deleted; null where they cannot be discarded.</param>
/// <param name="Groups">All that are known, by reason and route: the 100 largest groups.</param>
internal sealed record DeadLetterList(
    string Folder,
    bool Available,
    bool Truncated,
    IReadOnlyList<ReasonCount> Reasons,
    IReadOnlyList<DeadLetterState> Letters,
    string? Next,
    int Matching,
    int Unread,
    int? DiscardedDays,
    IReadOnlyList<DeadLetterGroup> Groups);

internal sealed record ReasonCount(string Reason, int Count);

/// <summary>A dead letter, its texts cut to a limit; exception, group, deduplication id and attributes only where it was asked for by name.</summary>
internal sealed record DeadLetterState(
    string Name, string Id, string Route, string Source, string Reason, string Description, int Attempts, DateTime FirstSeen, DateTime LastSeen, bool IsPart,
    long BodyBytes, string? ExceptionType)
{
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Handler { get; init; }

    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Exception { get; init; }

    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Group { get; init; }

    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? DeduplicationId { get; init; }

    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyDictionary<string, string>? Attributes { get; init; }

    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? BodyStart { get; init; }
}

/// <summary>The body of <c>POST /api/v1/redrive</c>, and of those that move and discard.</summary>
/// <param name="Names">The dead letters to redrive; null without a selection by name.</param>
/// <param name="Reason">The reason of the dead letters to redrive; null without a selection by reason.</param>
/// <param name="All">True to redrive every dead letter; explicit, so that an empty request does not mean it.</param>
/// <param name="Max">The maximum number of dead letters to redrive; null for no limit.</param>
/// <param name="Rate">The maximum number of dead letters per second; null for no limit.</param>
/// <param name="DryRun">True to count only; of a queue it also lists them.</param>
/// <param name="Queue">The dead-letter queue whose dead letters are meant, by their ids; null for the folder.</param>
internal sealed record RedriveOrder(
    string[]? Names = null, string? Reason = null, bool All = false, int? Max = null, int? Rate = null, bool DryRun = false, QueueOrder? Queue = null);

/// <summary>The dead-letter queue of a source.</summary>
/// <param name="Route">The route that receives from the source.</param>
/// <param name="Source">The source; null for the only one of the route that has such a queue.</param>
internal sealed record QueueOrder(string? Route = null, string? Source = null);

/// <summary>The answer of <c>/api/v1/redrive</c>.</summary>
/// <param name="State"><c>idle</c>, <c>running</c> or <c>done</c>.</param>
/// <param name="Total">Dead letters at the start, as far as known.</param>
/// <param name="Found">Of those, the ones that were asked for.</param>
/// <param name="Sent">Of those, the ones that were accepted and deleted.</param>
/// <param name="SentToQueue">Of those sent, the ones that a queue accepted: the worker of their route stores them, or dead-letters them again. The others were
/// stored.</param>
/// <param name="Left">Of those, the ones that stay.</param>
/// <param name="Rate">The maximum number per second; null for no limit.</param>
/// <param name="StartedAt">UTC; null when idle.</param>
/// <param name="Problem">Why it ended before all were tried; null otherwise.</param>
/// <param name="Action"><c>redrive</c>, <c>move</c> or <c>discard</c>.</param>
/// <param name="DryRun">True when it only counts.</param>
/// <param name="Results">The counts by reason.</param>
/// <param name="Failures">The first of those that stay.</param>
/// <param name="Notes">Sentences about what the counts do not show.</param>
/// <param name="Queue">The route whose dead-letter queue it is about; null for the folder.</param>
/// <param name="Listing">What a dry run of a queue lists: a line for each dead letter, and the start of its body; null otherwise.</param>
internal sealed record RedriveState(
    string State,
    long Total,
    int Found,
    int Sent,
    int SentToQueue,
    int Left,
    int? Rate,
    DateTime? StartedAt,
    string? Problem,
    string Action,
    bool DryRun,
    IReadOnlyList<RedriveCounts> Results,
    IReadOnlyList<RedriveFailure> Failures,
    IReadOnlyList<string> Notes,
    string? Queue,
    string? Listing);

/// <summary>A dead letter that stays, and why.</summary>
internal sealed record RedriveFailure(string Name, string Error);
