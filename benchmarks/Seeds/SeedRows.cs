namespace Benchmarks.Seeds;

/// <summary>Where the same case is measured here: short names of rows (<c>Suite.Method(Size: 10)</c>); null where it is not.</summary>
/// <param name="Original">The original's shape.</param>
/// <param name="Optimised">The published idea, made right for every input.</param>
/// <param name="Ours">What this project does, or what one writes today.</param>
internal sealed record SeedRows(string? Original, string? Optimised, string? Ours);
