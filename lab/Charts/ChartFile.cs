namespace Lab.Charts;

/// <summary>One picture of a results folder, and the suites in it.</summary>
internal sealed record ChartFile(string Name, string Title, IReadOnlyList<(string Name, string Title)> Suites);
