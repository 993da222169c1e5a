using Lab.Charts;

namespace Lab.Tests.Charts;

public sealed class ChartCommandTests : IDisposable
{
    private readonly DirectoryInfo _results = Directory.CreateTempSubdirectory("chart-");

    public void Dispose() => _results.Delete(recursive: true);

    [Fact]
    public void Run_KeySuites_DrawsOnlyThose()
    {
        Write("Benchmarks.Keys.MessageToKeyBenchmarks.Full");

        ChartCommand.Run([_results]).ShouldBe(0);

        File.ReadAllText(Path.Combine(_results.FullName, "keys.svg")).ShouldContain(">Full<");
        File.Exists(Path.Combine(_results.FullName, "pipeline.svg")).ShouldBeFalse();
    }

    [Fact]
    public void Run_PipelineSuites_NamesFormAndDepth()
    {
        Write("Benchmarks.Pipelines.PipelineExceptionBenchmarks.Fused(Depth: 10)");

        ChartCommand.Run([_results]).ShouldBe(0);

        File.ReadAllText(Path.Combine(_results.FullName, "pipeline.svg")).ShouldContain(">Fused 10<");
    }

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
