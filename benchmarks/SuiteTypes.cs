using System.Reflection;
using BenchmarkDotNet.Attributes;

namespace Benchmarks;

/// <summary>The benchmark suites of a program.</summary>
internal static class SuiteTypes
{
    public static Type[] In(Assembly program) =>
    [
        .. program.GetTypes()
            .Where(type => type is { IsPublic: true, IsClass: true, IsAbstract: false }
                && type.GetMethods().Any(method => method.IsDefined(typeof(BenchmarkAttribute), inherit: true)))
            .OrderBy(type => type.FullName, StringComparer.Ordinal),
    ];
}
