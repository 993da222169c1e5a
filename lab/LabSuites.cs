using Benchmarks;

namespace Lab;

/// <summary>The lab's suites.</summary>
internal static class LabSuites
{
    private const string TechniquesNamespace = "Lab.Techniques.";

    public static Type[] All { get; } = SuiteTypes.In(typeof(LabSuites).Assembly);

    /// <summary>Suites of small techniques, for which the short rounds are enough.</summary>
    public static Type[] Techniques { get; } = [.. All.Where(type => type.FullName!.StartsWith(TechniquesNamespace, StringComparison.Ordinal))];

    /// <summary>Suites of the published tables that measure more than a technique.</summary>
    public static Type[] Tables { get; } = [.. All.Except(Techniques)];
}
