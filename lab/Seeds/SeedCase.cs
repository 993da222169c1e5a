namespace Lab.Seeds;

/// <summary>One row of a published table.</summary>
/// <param name="Case">Its name.</param>
/// <param name="Published">The published figures.</param>
/// <param name="Here">The rows that measure the same here.</param>
/// <param name="Messages">The number of operations, when a total was published; the figures here are then totals too.</param>
/// <param name="Collections">Whether garbage collections were published; they are then shown here too.</param>
internal sealed record SeedCase(string Case, SeedPair Published, SeedRows Here, long? Messages = null, bool Collections = false);
