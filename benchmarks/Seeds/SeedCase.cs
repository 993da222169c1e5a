namespace Benchmarks.Seeds;

/// <summary>One row of a published table.</summary>
/// <param name="Case">Its name.</param>
/// <param name="Published">What was published.</param>
/// <param name="Here">Where the same is measured here.</param>
/// <param name="Messages">Where a total was published, of how many operations; the figures here are then totals too.</param>
/// <param name="Collections">Whether garbage collections were published; they are then shown here too.</param>
internal sealed record SeedCase(string Case, SeedPair Published, SeedRows Here, long? Messages = null, bool Collections = false);
