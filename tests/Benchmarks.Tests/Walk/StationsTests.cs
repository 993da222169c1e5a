using Benchmarks.Walk;

namespace Benchmarks.Tests.Walk;

/// <summary>The table of stations names the types that the product has, and the page shows the table.</summary>
public sealed class StationsTests
{
    private const string Renew = "Correct benchmarks/Walk/Stations.cs, then run from the repository's root: dotnet run -c Release --project benchmarks -- walk --write";

    [Fact]
    public void Types_OfAllStations_ExistInSrc()
    {
        IReadOnlyDictionary<string, string> files = ProductCode.ReadFiles();

        Stations.All.SelectMany(station => station.Types.Where(type => !files.ContainsKey(type)).Select(type => $"station {station.Name}: no type {type} with code is in src"))
            .ShouldBeEmpty($"A type was renamed or removed. {Renew}");
    }

    [Fact]
    public void Texts_OfAllStations_NameTypesThatAreListed()
    {
        HashSet<string> names = [.. Stations.All.SelectMany(station => station.Types).Select(type => type[(type.LastIndexOf('.') + 1)..])];

        Stations.All.SelectMany(station => station.Text.Split('`').Where((_, index) => index % 2 == 1).Where(name => !names.Contains(name)).Select(name => $"station {station.Name}: {name}"))
            .ShouldBeEmpty($"A text names a type that no station lists. {Renew}");
    }

    [Fact]
    public void Types_OfAllStations_AreListedOnce() => Stations.All.SelectMany(station => station.Types)
        .GroupBy(type => type, StringComparer.Ordinal)
        .Where(type => type.Count() > 1)
        .Select(type => type.Key)
        .ShouldBeEmpty();

    [Fact]
    public void Stations_AreAtMostNineteen() => Stations.All.Count.ShouldBeLessThanOrEqualTo(19);

    [Fact]
    public void Page_ShowsTheStations()
    {
        using Stream resource = typeof(StationsTests).Assembly.GetManifestResourceStream("the-way.md")!;
        using StreamReader reader = new(resource);
        string page = reader.ReadToEnd().ReplaceLineEndings("\n");

        page.ShouldBe(WayPage.Write(ProductCode.ReadFiles(), WayPage.FiguresOf(page)), $"The page differs from the command's stations. {Renew}");
    }

    /// <summary>Messages sent through the worker, with counters in its code.</summary>
    [Fact]
    [Trait("Category", "Long")]
    public async Task Types_ThatAMessagePasses_AreThoseOfTheStations()
    {
        IReadOnlyDictionary<string, string> files = ProductCode.ReadFiles();

        WalkResult result = await WalkRun.MeasureAsync(messages: 2_000, TestContext.Current.CancellationToken);

        result.Types.Where(files.ContainsKey).ShouldBe(Stations.All.SelectMany(station => station.Types), ignoreOrder: true, Renew);
        result.Of(SiteKind.Interlocked, static _ => true).ShouldBeGreaterThan(0);
        result.Of(SiteKind.Suspension, static _ => true).ShouldBeGreaterThan(0);
    }
}
