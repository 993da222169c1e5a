namespace Benchmarks.Seeds;

/// <summary>One row of a <c>*-figures.json</c>.</summary>
/// <param name="Name">Subject and way, such as <c>Udp.Pooled</c>.</param>
/// <param name="Value">How much.</param>
/// <param name="Unit">Of the value: <c>ns</c>, or a rate such as <c>datagrams/s</c>.</param>
/// <param name="Bytes">Bytes allocated for one; null when not measured.</param>
internal sealed record OtherFigure(string Name, double Value, string Unit, double? Bytes);
