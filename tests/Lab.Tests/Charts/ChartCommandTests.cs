using Lab.Charts;

namespace Lab.Tests.Charts;

public sealed class ChartCommandTests : IDisposable
{
    private readonly DirectoryInfo _results = Directory.CreateTempSubdirectory("chart-");

    public void Dispose() => _results.Delete(recursive: true);

    [Fact]
    public void Run_NothingToDraw_Fails()
    {
        Write("Benchmarks.Other.OtherBenchmarks.Some");

        ChartCommand.Run([_results]).ShouldBe(2);
    }

    private void Write(string name) => File.WriteAllText(
        Path.Combine(_results.FullName, "a-report-brief.json"),
        $$$"""{"HostEnvironmentInfo":{"ProcessorName":"EPYC"},"Benchmarks":[{"FullName":"{{{name}}}","Statistics":{"Median":100},"Memory":{"BytesAllocatedPerOperation":0}}]}""");
}
