using BenchmarkDotNet.Attributes;

namespace Lab.Techniques.StringCreation;

/// <summary>A string of 28 characters from three parts.</summary>
public class StringCreationBenchmarks
{
    private string _first = string.Empty;
    private string _second = string.Empty;
    private string _third = string.Empty;

    [GlobalSetup]
    public void Setup()
    {
        (_first, _second, _third) = ("My_Product", "Site_Key", "My_Event");
        Agreement.Require(Original(), Builder(), StackAlloc(), StringCreate());
    }

    [Benchmark(Baseline = true)]
    public string Original() => LowerPath.Original(_first, _second, _third);

    [Benchmark]
    public string Builder() => LowerPath.Builder(_first, _second, _third);

    [Benchmark]
    public string StackAlloc() => LowerPath.OnTheStack(_first, _second, _third);

    [Benchmark]
    public string StringCreate() => LowerPath.Create(_first, _second, _third);
}
