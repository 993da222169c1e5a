using Pipeline.Tests.Parts;

namespace Pipeline.Tests.Generators.Combinations;

/// <summary>One path through a chain.</summary>
/// <param name="Step">When the step's methods complete.</param>
/// <param name="Rest">When the terminator completes.</param>
/// <param name="Event">What happens.</param>
internal sealed record Scenario(Timing Step, Timing Rest, Event Event)
{
    public static IEnumerable<Scenario> All =>
        from step in Part.Timings
        from rest in Part.Timings
        from happening in Enum.GetValues<Event>()
        select new Scenario(step, rest, happening);

    /// <summary>The exception that the rest throws; the same instance must reach the caller or its handler.</summary>
    public PartException RestException { get; } = new("rest");

    public bool RestThrows => Event is Event.RestThrows or Event.OnErrorHandles or Event.OnErrorThrows;
}
