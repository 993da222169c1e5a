using System.Globalization;

namespace Benchmarks.Bytes;

/// <summary>The bytes per message of one case, measured and expected.</summary>
/// <param name="Case">Scenario, variant, parts or bytes, messages in flight.</param>
/// <param name="Expected">From the committed file; null when the file has no such case.</param>
/// <param name="Measured">Null when no such case was measured.</param>
internal sealed record ByteVerdict(string Case, long? Expected, long? Measured)
{
    /// <summary>True for a rise, a case without an expectation, and an expectation without a case. A fall is no failure.</summary>
    public bool IsFailure => Expected is null || Measured is null || Measured > Expected;

    private string Remark => (Expected, Measured) switch
    {
        (null, _) => "  FAILED: not in the file of expected bytes",
        (_, null) => "  FAILED: expected, but no such case exists",
        _ when IsFailure => "  FAILED: more than expected",
        _ when Measured < Expected => "  less: update the file with --update",
        _ => string.Empty,
    };

    /// <summary>Every case of either side, by name.</summary>
    public static IReadOnlyList<ByteVerdict> Compare(IReadOnlyDictionary<string, long> expected, IReadOnlyDictionary<string, long> measured) =>
    [
        .. expected.Keys.Union(measured.Keys, StringComparer.Ordinal)
            .Order(StringComparer.Ordinal)
            .Select(name => new ByteVerdict(
                name,
                expected.TryGetValue(name, out long wanted) ? wanted : null,
                measured.TryGetValue(name, out long seen) ? seen : null)),
    ];

    /// <summary>The row of a table.</summary>
    /// <param name="width">Characters of the first column.</param>
    public string ToRow(int width) =>
        string.Create(CultureInfo.InvariantCulture, $"{Case.PadRight(width)}  {Text(Measured),9}  {Text(Expected),9}{Remark}");

    private static string Text(long? bytes) => bytes?.ToString("N0", CultureInfo.InvariantCulture) ?? "-";
}
