namespace Benchmarks.Seeds;

/// <summary>One row of a published table.</summary>
internal sealed record SeedCase(string Case, SeedPair Published, SeedRows Here);
