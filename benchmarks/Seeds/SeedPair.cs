namespace Benchmarks.Seeds;

/// <summary>What was published for one case: before and after.</summary>
internal sealed record SeedPair(SeedFigure? Original, SeedFigure? Optimised);
