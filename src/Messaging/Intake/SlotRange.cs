using Messaging.Routes;
using Messaging.Sources;

namespace Messaging.Intake;

/// <summary>How many of a source's messages may be in flight at once.</summary>
/// <param name="Start">What the worker begins with.</param>
/// <param name="Most">The upper limit: the number of slots.</param>
/// <param name="Least">What a store that throttles may lower it to.</param>
internal readonly record struct SlotRange(int Start, int Most, int Least)
{
    private const int UsualLeast = 4;

    /// <summary>The range of a source in a route.</summary>
    public static SlotRange Of(RoutePlan route, SourcePlan source)
    {
        IntakeOptions intake = route.Intake;
        int start = Math.Min(intake.StartConcurrency, intake.Concurrency);

        // A message that only names an object takes memory that its size does not show.
        int most = route.Handler.ReadsObjects ? start : intake.Concurrency;
        if (source.IsPushed)
        {
            // Pushed messages arrive anyway, and a client may need a slot before it can abandon one.
            most = Math.Max(most, source.MaxInFlight?.Value ?? 0);
            return new SlotRange(most, most, most);
        }

        // Messages that wait for each other must be many enough to end the wait. Bundles may be filling for any number of prefixes.
        int waiting = route.IsBundled ? most : Math.Min(route.Handler.Gathers?.MinSlots ?? 0, most);

        return new SlotRange(Math.Max(start, waiting), most, Math.Max(Math.Min(UsualLeast, most), waiting));
    }
}
