using Messaging.Routes;
using Messaging.Sources;

namespace Messaging.Intake;

/// <summary>How many of a source's messages may be in flight at once.</summary>
/// <param name="Start">What the worker begins with.</param>
/// <param name="Most">What it may find to be better: the number of slots.</param>
/// <param name="Least">What a store that throttles may lower it to.</param>
internal readonly record struct SlotRange(int Start, int Most, int Least)
{
    private const int UsualLeast = 4;

    /// <summary>The range of a source in a route.</summary>
    public static SlotRange Of(RoutePlan route, SourcePlan source)
    {
        IntakeOptions intake = route.Intake;
        if (source.IsPushed)
        {
            // They are there already, and a client that delivers them may need a slot before it takes a message back.
            return new SlotRange(intake.Concurrency, intake.Concurrency, intake.Concurrency);
        }

        int start = Math.Min(intake.StartConcurrency, intake.Concurrency);

        // A message that only names an object takes memory that its size does not show.
        int most = route.Handler.ReadsObjects ? start : intake.Concurrency;

        // Messages that wait for each other must be many enough to end the wait. Bundles may be filling for any number of prefixes.
        int waiting = route.IsBundled ? most : Math.Min(route.Handler.Gathers?.LeastSlots ?? 0, most);

        return new SlotRange(Math.Max(start, waiting), most, Math.Max(Math.Min(UsualLeast, most), waiting));
    }
}
