namespace Lab.Seeds;

/// <summary>One published table, or a claim with a figure.</summary>
/// <param name="Name">The name of its block in the document.</param>
/// <param name="Title">The subject of the table.</param>
/// <param name="Source">The name of the talk or article.</param>
/// <param name="Cases">Its rows.</param>
internal sealed record SeedTable(string Name, string Title, string Source, IReadOnlyList<SeedCase> Cases);
