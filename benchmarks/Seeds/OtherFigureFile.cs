namespace Benchmarks.Seeds;

/// <summary>A <c>*-figures.json</c>.</summary>
internal sealed record OtherFigureFile(IReadOnlyList<OtherFigure> Rows);
