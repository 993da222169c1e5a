using Benchmarks.Compare;

namespace Lab.Tests;

public sealed class LabResultsTests : IDisposable
{
    private readonly DirectoryInfo _product = Directory.CreateTempSubdirectory("product-");
    private readonly DirectoryInfo _lab = Directory.CreateTempSubdirectory("lab-");

    public void Dispose()
    {
        _product.Delete(recursive: true);
        _lab.Delete(recursive: true);
    }

    [Fact]
    public void OfNewestMachine_SeveralDaysAndMachines_TakesAllDaysOfTheNewestFromBothRoots()
    {
        foreach (string name in (string[])["2026-11-20-a", "2026-11-21-b", "2026-11-19-b"])
        {
            _product.CreateSubdirectory(name);
        }

        _lab.CreateSubdirectory("2026-11-20-b");

        LabResults.OfNewestMachine(_product, _lab).Select(folder => folder.Name).ShouldBe(["2026-11-19-b", "2026-11-20-b", "2026-11-21-b"]);
    }

    [Fact]
    public void OfNewestMachine_NoFolders_Throws() =>
    Should.Throw<ResultsException>(() => LabResults.OfNewestMachine(_product, _lab)).Message.ShouldContain("hold no results");
}
