namespace Benchmarks.Bytes;

/// <summary>One case that is not as expected.</summary>
internal sealed record ByteVerdict(string Case, long? Expected, long? Measured)
{
    /// <summary>A rise, a case without an expectation, an expectation without a case. A fall is good news.</summary>
    public bool IsFailure => Expected is null || Measured is null || Measured > Expected;

    public static IReadOnlyList<ByteVerdict> Compare(IReadOnlyDictionary<string, long> expected, IReadOnlyDictionary<string, long> measured) =>
    [
        .. expected.Keys.Union(measured.Keys, StringComparer.Ordinal)
            .Order(StringComparer.Ordinal)
            .Select(name => new ByteVerdict(
                name,
                expected.TryGetValue(name, out long wanted) ? wanted : null,
                measured.TryGetValue(name, out long seen) ? seen : null))
            .Where(verdict => verdict.Expected != verdict.Measured),
    ];

    public override string ToString() => (Expected, Measured) switch
    {
        (null, _) => $"FAIL {Case}: {Measured} bytes, and nothing is expected of it",
        (_, null) => $"FAIL {Case}: {Expected} bytes are expected, and there is no such case",
        _ when IsFailure => $"FAIL {Case}: {Measured} bytes a message, {Expected} expected",
        _ => $"less {Case}: {Measured} bytes a message, {Expected} expected; renew the file with --update",
    };
}
