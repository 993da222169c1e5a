using Benchmarks.Compare;

namespace Benchmarks.Tests.Compare;

public sealed class BenchmarkRowTests
{
    [Theory]
    [InlineData("Benchmarks.Keys.KeyBenchmarks.Original", "KeyBenchmarks", "Original", "", "KeyBenchmarks.Original")]
    [InlineData("Benchmarks.A.SizeBenchmarks.Span(Size: 10)", "SizeBenchmarks", "Span", "Size: 10", "SizeBenchmarks.Span(Size: 10)")]
    [InlineData("A.B.C(Factor: 1.5, Name: \"x.y\")", "B", "C", "Factor: 1.5, Name: \"x.y\"", "B.C(Factor: 1.5, Name: x.y)")]
    [InlineData("Alone", "", "Alone", "", ".Alone")]
    public void Parts_OfAName_AreSuiteMethodAndParameters(string name, string suite, string method, string parameters, string shortName)
    {
        BenchmarkRow row = new(name, 1, 0);

        (row.Suite, row.Method, row.Parameters, row.ShortName).ShouldBe((suite, method, parameters, shortName));
    }
}
