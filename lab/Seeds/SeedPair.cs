namespace Lab.Seeds;

/// <summary>The published figures of one case, before and after.</summary>
internal sealed record SeedPair(SeedFigure? Original, SeedFigure? Optimised);
