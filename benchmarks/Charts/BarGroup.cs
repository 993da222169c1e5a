namespace Benchmarks.Charts;

internal sealed record BarGroup(string Title, IReadOnlyList<Bar> Bars);
