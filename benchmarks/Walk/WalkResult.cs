using Benchmarks.EndToEnd.Server;

namespace Benchmarks.Walk;

/// <summary>What a run has counted.</summary>
/// <param name="InFlight">Messages in flight.</param>
/// <param name="Totals">The load, as the server saw it.</param>
/// <param name="Sites">The counts.</param>
/// <param name="Bytes">Allocated by the worker's process.</param>
/// <param name="WorkItems">That the process's thread pool has run.</param>
internal sealed record WalkResult(int InFlight, QueueTotals Totals, IReadOnlyList<SiteCount> Sites, long Bytes, long WorkItems)
{
    // A call for ten messages counts; what a timer or an idle loop does counts not.
    private const int MessagesPerCall = 25;

    public double BytesPerMessage => (double)Bytes / Totals.Messages;

    public double WorkItemsPerMessage => (double)WorkItems / Totals.Messages;

    /// <summary>The types on the message's way: their code ran at least once per 25 messages.</summary>
    public IReadOnlyList<string> Types =>
    [
        .. Sites.Where(counted => counted.Site.Kind == SiteKind.Call)
            .GroupBy(counted => counted.Site.Type, StringComparer.Ordinal)
            .Where(type => type.Sum(counted => counted.Count) * MessagesPerCall >= Totals.Messages)
            .Select(type => type.Key)
            .Order(StringComparer.Ordinal),
    ];

    /// <summary>Per message, in the code of the types.</summary>
    public double Of(SiteKind kind, Func<string, bool> isIncluded) =>
        (double)Sites.Where(counted => counted.Site.Kind == kind && isIncluded(counted.Site.Type)).Sum(counted => counted.Count) / Totals.Messages;
}
