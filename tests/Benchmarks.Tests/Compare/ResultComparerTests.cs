using System.Globalization;
using Benchmarks.Compare;

namespace Benchmarks.Tests.Compare;

public sealed class ResultComparerTests : IDisposable
{
    private readonly DirectoryInfo _root = Directory.CreateTempSubdirectory("compare-");
    private readonly StringWriter _output = new();

    public void Dispose()
    {
        _root.Delete(recursive: true);
        _output.Dispose();
    }

    [Theory]
    [InlineData(100, 101.9, "same", 0)]
    [InlineData(100, 102.1, "slower", 1)]
    [InlineData(100, 97.9, "faster", 0)]
    public void Run_OneRow_IsJudgedByTwoPercent(double before, double after, string verdict, int exitCode)
    {
        int code = Run(Folder("before", "EPYC", ("Suite.Fused", before, 0)), Folder("after", "EPYC", ("Suite.Fused", after, 0)));

        code.ShouldBe(exitCode);
        _output.ToString().ShouldStartWith(verdict);
        _output.ToString().ShouldContain("Suite.Fused");
    }

    [Fact]
    public void Run_SuiteInAnotherNamespace_IsTheSameRow()
    {
        Run(Folder("before", "EPYC", ("Old.Suite.Fused(Size: 10)", 100, 0)), Folder("after", "EPYC", ("New.Place.Suite.Fused(Size: 10)", 200, 0))).ShouldBe(1);

        _output.ToString().ShouldStartWith("slower  Suite.Fused(Size: 10)");
    }

    [Fact]
    public void Run_SameTimeMoreBytes_IsWorse()
    {
        Run(Folder("before", "EPYC", ("Suite.Fused", 100, 0)), Folder("after", "EPYC", ("Suite.Fused", 100, 24))).ShouldBe(1);

        _output.ToString().ShouldStartWith("more B");
        _output.ToString().ShouldContain("0 -> 24 B");
        _output.ToString().ShouldContain("1 rows got slower or allocate more.");
    }

    [Fact]
    public void Run_DifferentMachines_Refuses()
    {
        Run(Folder("before", "EPYC", ("Suite.Fused", 100, 0)), Folder("after", "Xeon", ("Suite.Fused", 50, 0))).ShouldBe(2);

        _output.ToString().ShouldContain("different machines");
        _output.ToString().ShouldNotContain("faster");
    }

    [Fact]
    public void Run_AFolderThatMixesMachines_Refuses()
    {
        DirectoryInfo mixed = Folder("mixed", "EPYC", ("Suite.A", 100, 0));
        File.WriteAllText(Path.Combine(mixed.FullName, "b-report-brief.json"), Report("Xeon", ("Suite.B", 1, 0)));

        Run(mixed, mixed).ShouldBe(2);

        _output.ToString().ShouldContain("mixes machines");
    }

    [Fact]
    public void Run_RowsOnOneSideOnly_AreNamed()
    {
        Run(Folder("before", "EPYC", ("Suite.Old", 100, 0)), Folder("after", "EPYC", ("Suite.New", 100, 0))).ShouldBe(0);

        _output.ToString().ShouldContain("new     Suite.New");
        _output.ToString().ShouldContain("gone    Suite.Old");
    }

    [Theory]
    [InlineData(null)]
    [InlineData("{")]
    [InlineData("{}")]
    [InlineData("[]")]
    public void Run_MissingOrInvalidReport_Fails(string? content)
    {
        DirectoryInfo folder = _root.CreateSubdirectory("broken");
        if (content is not null)
        {
            File.WriteAllText(Path.Combine(folder.FullName, "a-report-brief.json"), content);
        }

        Run(folder, folder).ShouldBe(2);

        _output.ToString().ShouldStartWith("error: ");
    }

    private int Run(DirectoryInfo before, DirectoryInfo after) => ResultComparer.Run(before, after, threshold: 0.02, _output);

    private DirectoryInfo Folder(string name, string processor, params (string Name, double Nanoseconds, long Bytes)[] rows)
    {
        DirectoryInfo folder = _root.CreateSubdirectory(name);
        File.WriteAllText(Path.Combine(folder.FullName, "a-report-brief.json"), Report(processor, rows));
        return folder;
    }

    private static string Report(string processor, params (string Name, double Nanoseconds, long Bytes)[] rows)
    {
        IEnumerable<string> benchmarks = rows.Select(row => string.Create(
            CultureInfo.InvariantCulture,
            $$$"""{"FullName":"{{{row.Name}}}","Statistics":{"Median":{{{row.Nanoseconds}}}},"Memory":{"BytesAllocatedPerOperation":{{{row.Bytes}}}}}"""));
        return $$"""{"HostEnvironmentInfo":{"ProcessorName":"{{processor}}","OsVersion":"Linux"},"Benchmarks":[{{string.Join(',', benchmarks)}}]}""";
    }
}
