namespace Harness.Collecting;

/// <param name="EventsLost">Events that found the buffer full: so many objects are missing.</param>
/// <param name="Types">What was allocated, in no order; empty for a trace.</param>
internal sealed record CollectedAllocations(long EventsLost, IReadOnlyList<CollectedType> Types)
{
    public static CollectedAllocations None { get; } = new(0, []);
}
