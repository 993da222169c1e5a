using Benchmarks.Compare;
using Lab.Pages;

namespace Lab.Tests.Pages;

public sealed class MeasuredTextTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("measured-");

    public MeasuredTextTests() => File.WriteAllText(
        Path.Combine(_folder.FullName, "put.json"),
        """
        {
          "machine": "a machine",
          "rows": [
            { "Client": "Direct", "InFlight": 16, "Bytes": 2648.6, "Seconds": 0.5, "Passes": [10, 20, 30] },
            { "Client": "Direct", "InFlight": 64, "Bytes": 2700, "Seconds": 0.25, "Passes": [12, 18, 30] },
            { "Client": "Two loops", "InFlight": 64, "Bytes": 24187, "Seconds": 2, "Passes": [24, 27, 90] }
          ]
        }
        """);

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData("{put Direct InFlight=16 Bytes:N0} B", "2,649 B")]
    [InlineData("{put 'Two loops' Bytes:N0~3}", "24,200")]
    [InlineData("{put 'Two loops' Bytes / put Direct InFlight=64 Bytes:F1} times", "9.0 times")]
    [InlineData("{put Direct InFlight=16 Bytes / 1000:F2} KB", "2.65 KB")]
    [InlineData("{put 'Two loops' Seconds / put Direct InFlight=16 Seconds + put Direct InFlight=64 Seconds:F2}", "2.67")]
    [InlineData("{put 'Two loops' Passes / put Direct InFlight=64 Passes:range F1}", "1.5-3.0")]
    [InlineData("{put Direct InFlight=16 Seconds:range F1}", "0.5")]
    [InlineData("{put Direct InFlight=16 Passes:list F0}", "10 20 30")]
    [InlineData("{put Direct InFlight=16 NotKept:range F1}", "-")]
    [InlineData("![chart]({folder}/put.svg)", "![chart](../results/put.svg)")]
    public void Write_FiguresOfRows_AreShownAsTheTextSays(string template, string expected) => Write(template).ShouldBe(expected);

    [Theory]
    [InlineData("{put Direct Bytes:N0}", "2 rows")]
    [InlineData("{put Sdk Bytes:N0}", "no row Sdk")]
    [InlineData("{put Direct InFlight=16 Time:N0}", "no figure Time")]
    [InlineData("{keys Direct Bytes:N0}", "There is no keys")]
    [InlineData("{put Direct InFlight=16 Passes:F1}", "format")]
    [InlineData("{put Direct InFlight=16 Bytes / 2 / 3:F1}", "quotient")]
    public void Write_PlaceThatTheResultsDoNotFill_NamesTheTextAndThePlace(string template, string reason)
    {
        string message = Should.Throw<ResultsException>(() => Write(template)).Message;

        message.ShouldStartWith($"table, {template}: ");
        message.ShouldContain(reason);
    }

    private string Write(string template) => new MeasuredText("table", template).Write(new ResultRows([_folder]), "../results");
}
