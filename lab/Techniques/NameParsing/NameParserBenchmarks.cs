using BenchmarkDotNet.Attributes;

namespace Lab.Techniques.NameParsing;

/// <summary>The last name of a full name of 14 characters and three words.</summary>
public class NameParserBenchmarks
{
    private string _name = string.Empty;

    [GlobalSetup]
    public void Setup()
    {
        _name = "Ada M Lovelace";
        Agreement.Require(Original(), Substring(), LastName.SpanBased(_name).ToString(), LastName.SplitRanges(_name).ToString());
    }

    [Benchmark(Baseline = true)]
    public string Original() => LastName.Original(_name);

    [Benchmark]
    public string Substring() => LastName.Substring(_name);

    /// <returns>The length, since a span cannot be returned to the benchmark engine.</returns>
    [Benchmark]
    public int SpanBased() => LastName.SpanBased(_name).Length;

    /// <returns>The length.</returns>
    [Benchmark]
    public int SplitRanges() => LastName.SplitRanges(_name).Length;
}
