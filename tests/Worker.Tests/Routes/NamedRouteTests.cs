using Microsoft.Extensions.Configuration;
using Worker.Hosting;
using Worker.Routes;

namespace Worker.Tests.Routes;

/// <summary>Routes that are given replace the built-in one, over the shipped settings file as users have it.</summary>
public sealed class NamedRouteTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Plan_NoRouteGiven_IsTheBuiltInOne()
    {
        WorkerPlan plan = Plan(file: null);

        plan.Routes.ShouldHaveSingleItem().Name.ShouldBe("archive");
        plan.NamedRoutes.ShouldHaveSingleItem().ToString().ShouldBe("archive: built in");
    }

    [Theory]
    [InlineData("""{ "Routes": { "orders": { "Source": "Channel" } } }""")]
    [InlineData(null, "--Routes:orders:Source=Channel")]
    [InlineData("""{ "Routes": { "archive": null, "orders": { "Source": "Channel" } } }""")]
    [InlineData("""{ "Routes": { "archive": { "Source": "Http" }, "orders": { "Source": "Channel" } } }""", "--Routes:archive=")]
    public void Plan_RouteGiven_ReplacesTheBuiltInOne(string? file, params string[] keys)
    {
        WorkerPlan plan = Plan(file, keys);

        plan.Errors.ShouldBeEmpty();
        plan.Routes.ShouldHaveSingleItem().Name.ShouldBe("orders");
    }

    [Fact]
    public void Plan_KeyOfTheBuiltInRouteGiven_ChangesIt()
    {
        WorkerPlan plan = Plan(file: null, "--Routes:archive:Source=Udp");

        plan.Errors.ShouldBeEmpty();
        RoutePlan route = plan.Routes.ShouldHaveSingleItem();
        route.Name.ShouldBe("archive");
        route.Sources.ShouldHaveSingleItem().Name.ShouldBe("Udp");
        plan.NamedRoutes.ShouldHaveSingleItem().ToString().ShouldBe("archive: from the command line");
    }

    [Fact]
    public void Plan_RoutesOfSeveralSources_EachSaysWhereItComesFrom()
    {
        string file = Write("""{ "Routes": { "orders": { "Source": "Channel" }, "old": { "Source": "Channel" } } }""");
        IConfigurationRoot configuration = WorkerConfiguration.Build(file, ["--Routes:orders:Sink=Memory", "--Routes:second:Source=Udp", "--Routes:old="]);

        // As the host adds it to its own configuration.
        WorkerPlan plan = WorkerHost.Plan(new ConfigurationBuilder().AddConfiguration(configuration).Build());

        plan.Errors.ShouldBeEmpty();
        plan.NamedRoutes.Select(route => route.ToString()).ShouldBe(
            ["old: removed by the command line", $"orders: from {file}, the command line", "second: from the command line"],
            ignoreOrder: true);
        plan.Routes.Select(route => route.Name).ShouldBe(["orders", "second"], ignoreOrder: true);
    }

    [Fact]
    public void Plan_RouteOfTheEnvironment_SaysSo()
    {
        const string Prefix = "NAMED_ROUTE_TEST_";
        Environment.SetEnvironmentVariable($"{Prefix}Routes__orders__Source", "Channel");
        try
        {
            WorkerPlan plan = WorkerHost.Plan(new ConfigurationBuilder().AddEnvironmentVariables(Prefix).Build());

            plan.NamedRoutes.ShouldHaveSingleItem().ToString().ShouldBe("orders: from the environment");
        }
        finally
        {
            Environment.SetEnvironmentVariable($"{Prefix}Routes__orders__Source", value: null);
        }
    }

    [Fact]
    public void Plan_RemovedAndGivenAgainLater_Runs()
    {
        WorkerPlan plan = Plan("""{ "Routes": { "archive": null } }""", "--Routes:archive:Source=Channel");

        plan.Errors.ShouldBeEmpty();
        plan.NamedRoutes.ShouldHaveSingleItem().ToString().ShouldBe("archive: from the command line");
    }

    [Fact]
    public void Plan_EveryRouteRemoved_IsAnError() =>
        Plan("""{ "Routes": { "archive": null } }""").Errors.Select(error => error.ToString()).ShouldBe(
            ["Routes: must leave a route, but every one is null or empty: archive. The worker would receive nothing."]);

    [Fact]
    public void Plan_ValueInsteadOfARoute_IsAnError() =>
        Plan(file: null, "--Routes:archive=Sqs", "--Routes:orders:Source=Channel").Errors.Select(error => error.ToString()).ShouldBe(
            ["Routes:archive = \"Sqs\": must be a section with Source, Handler and Sink, or null to remove the route."]);

    private WorkerPlan Plan(string? file, params string[] keys) => WorkerHost.Plan(WorkerConfiguration.Build(file is null ? null : Write(file), keys));

    private string Write(string json)
    {
        string path = Path.Combine(_folder.Path, "mine.json");
        File.WriteAllText(path, json);
        return path;
    }
}
