namespace Lab.Seeds;

/// <summary>The rows that measure the same case here, by short name (<c>Suite.Method(Size: 10)</c>); null when none does.</summary>
/// <param name="Original">The original.</param>
/// <param name="Optimised">The published idea, corrected for every input.</param>
/// <param name="Ours">This project's code, or the code one would write today.</param>
internal sealed record SeedRows(string? Original, string? Optimised, string? Ours);
