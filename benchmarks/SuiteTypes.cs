using BenchmarkDotNet.Attributes;

namespace Benchmarks;

/// <summary>The benchmark suites of this program.</summary>
internal static class SuiteTypes
{
    private const string TechniquesNamespace = "Benchmarks.Techniques.";

    public static Type[] All { get; } =
    [
        .. typeof(SuiteTypes).Assembly.GetTypes()
            .Where(type => type is { IsPublic: true, IsClass: true, IsAbstract: false } && type.GetMethods().Any(method => method.IsDefined(typeof(BenchmarkAttribute), inherit: true)))
            .OrderBy(type => type.FullName, StringComparer.Ordinal),
    ];

    /// <summary>Suites of small techniques, for which the short rounds are enough.</summary>
    public static Type[] Techniques { get; } = [.. All.Where(type => type.FullName!.StartsWith(TechniquesNamespace, StringComparison.Ordinal))];

    /// <summary>Suites of the worker's parts.</summary>
    public static Type[] Systems { get; } = [.. All.Except(Techniques)];
}
