namespace Harness.Collecting;

/// <param name="EventsLost">Number of events lost because the buffer was full; at least that many objects are missing.</param>
/// <param name="Types">The allocations by type, unordered; empty for a trace.</param>
internal sealed record CollectedAllocations(long EventsLost, IReadOnlyList<CollectedType> Types)
{
    public static CollectedAllocations None { get; } = new(0, []);
}
