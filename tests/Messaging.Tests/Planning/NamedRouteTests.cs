using Microsoft.Extensions.Configuration;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Planning;
using Shared.Hosting;

namespace Messaging.Tests.Planning;

/// <summary>Configured routes replace the built-in one, with the shipped settings file.</summary>
public sealed class NamedRouteTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Plan_NoRouteConfigured_IsTheBuiltInOne()
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
    public void Plan_RouteConfigured_ReplacesTheBuiltInOne(string? file, params string[] keys)
    {
        WorkerPlan plan = Plan(file, keys);

        plan.Errors.ShouldBeEmpty();
        plan.Routes.ShouldHaveSingleItem().Name.ShouldBe("orders");
    }

    [Fact]
    public void Plan_KeyOfTheBuiltInRouteConfigured_ChangesIt()
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

        // The host adds it to its own configuration in the same way.
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
    public void Plan_RemovedAndConfiguredAgainLater_Runs()
    {
        WorkerPlan plan = Plan("""{ "Routes": { "archive": null } }""", "--Routes:archive:Source=Channel");

        plan.Errors.ShouldBeEmpty();
        plan.NamedRoutes.ShouldHaveSingleItem().ToString().ShouldBe("archive: from the command line");
    }

    [Fact]
    public void Plan_EveryRouteRemoved_IsAnError() =>
        Plan("""{ "Routes": { "archive": null } }""").Errors.Select(error => error.ToString()).ShouldBe(
            ["Routes: must contain at least one route, but every one is null or empty: archive. The worker would receive nothing."]);

    [Fact]
    public void Plan_ValueInsteadOfARoute_IsAnError() =>
        Plan(file: null, "--Routes:archive=Sqs", "--Routes:orders:Source=Channel").Errors.Select(error => error.ToString()).ShouldBe(
            ["Routes:archive = \"Sqs\": must be a section with Source, Handler and Sink, or null to remove the route."]);

    [Fact]
    public void Plan_ValueInsteadOfTheOnlyRoute_IsTheOnlyErrorAndNoRemoval()
    {
        WorkerPlan plan = Plan(file: null, "--Routes:a=Http");

        plan.Errors
            .ShouldHaveSingleItem()
            .ToString()
            .ShouldBe("Routes:a = \"Http\": must be a section with Source, Handler and Sink, or null to remove the route.");
        plan.NamedRoutes.ShouldHaveSingleItem().ToString().ShouldBe("a: from the command line");
    }

    [Theory]
    [InlineData("\"Http\"", "Routes = \"Http\": ")]
    [InlineData("[]", "Routes: ")]
    [InlineData("{}", "Routes: ")]
    [InlineData("null", "Routes: ")]
    public void Plan_RoutesWithoutARoute_IsAnError(string routes, string key) =>
        ErrorsOf($$"""{ "Routes": {{routes}} }""").ShouldHaveSingleItem().ShouldStartWith(key + "must contain one section per route");

    [Theory]
    [InlineData(0)]
    [InlineData(65)]
    public void Plan_NameOfAnotherLength_IsAnError(int length) =>
        ErrorsOf($$"""{ "Routes": { "{{new string('a', length)}}": { "Source": "Channel" } } }""").ShouldHaveSingleItem().ShouldContain("a route's name");

    [Theory]
    [InlineData("--Routes:a:Source=Channel", "--Routes:a=")]
    [InlineData("--Routes:a=", "--Routes:a:Source=Channel")]
    public void Plan_OneProviderGivesAndRemovesARoute_IsAnError(params string[] keys) =>
        ErrorsOf(file: null, keys).ShouldBe(
            ["Routes:a: is empty, which removes the route, but the command line also sets Routes:a:Source: remove one of the two."]);

    [Fact]
    public void Plan_OneProviderGivesARouteAsValueAndSection_IsAnError() =>
        ErrorsOf(file: null, "--Routes:a=Http", "--Routes:a:Sink=Directory").ShouldBe(
            ["Routes:a = \"Http\": must be a section with Source, Handler and Sink, or null to remove the route."]);

    [Fact]
    public void Plan_TheEnvironmentGivesAndRemovesARoute_IsAnError()
    {
        WorkerPlan plan = Plan(file: null, environment: ["Routes:a=", "Routes:a:Source=Udp"]);

        plan.Errors.ShouldHaveSingleItem().ToString().ShouldBe(
            "Routes:a: is empty, which removes the route, but the environment also sets Routes:a:Source: remove one of the two.");
    }

    [Fact]
    public void Plan_RemovedByTheEnvironmentAndGivenOnTheCommandLine_Runs()
    {
        WorkerPlan plan = Plan("""{ "Routes": { "a": { "Source": "Udp" } } }""", environment: ["Routes:a="], "--Routes:a:Source=Channel");

        plan.Errors.ShouldBeEmpty();
        plan.NamedRoutes.ShouldHaveSingleItem().ToString().ShouldBe($"a: from {_folder["mine.json"]}, the command line", "Keys of every provider hold.");
    }

    [Fact]
    public void Plan_GivenByTheEnvironmentAndRemovedOnTheCommandLine_IsRemoved()
    {
        WorkerPlan plan = Plan("""{ "Routes": { "b": { "Source": "Channel" } } }""", environment: ["Routes:a:Source=Channel"], "--Routes:a=");

        plan.Errors.ShouldBeEmpty();
        plan.Routes.ShouldHaveSingleItem().Name.ShouldBe("b");
        plan.NamedRoutes.Select(route => route.ToString()).ShouldContain("a: removed by the command line");
    }

    [Theory]
    [InlineData("""{ "Intake": 5 }""", "Intake: must be a section, but a value was given. It would have no effect.")]
    [InlineData("""{ "Sinks": { "Directory": "/x" } }""", "Sinks:Directory: must be a section, but a value was given. It would have no effect.")]
    [InlineData(
        """{ "Routes": { "a": { "Source": "Channel", "Sinks": "S3" } } }""",
        "Routes:a:Sinks: must be a section, but a value was given. It would have no effect.")]
    [InlineData("""{ "Sinks": { "S3": "/x" } }""", "Sinks:S3: must be a section, but a value was given. It would have no effect.")]
    [InlineData(
        """{ "Sinks": { "Directory": { "Path": { "a": "/x" } } } }""", "Sinks:Directory:Path: must be a single value, but Sinks:Directory:Path:a was given.")]
    public void Plan_SectionAndValueConfused_IsAnError(string file, string error) => ErrorsOf(file).ShouldBe([error]);

    [Theory]
    [InlineData("Sources_Sqs_Queue=orders", "Sources_Sqs_Queue", "Sources__Sqs__Queue")]
    [InlineData("SOURCES_SQS_QUEUE=orders", "SOURCES_SQS_QUEUE", "Sources__Sqs__Queue")]
    [InlineData("Hosting_Url=http://0.0.0.0:8080", "Hosting_Url", "Hosting__Url")]
    [InlineData("Intake_Concurrency=8", "Intake_Concurrency", "Intake__Concurrency")]
    [InlineData("Routes_orders_Source=Sqs", "Routes_orders_Source", "Routes__orders__Source")]
    [InlineData("ASPNETCORE_URLS=http://+:80", "ASPNETCORE_URLS", "Hosting__Url")]
    [InlineData("ASPNETCORE_HTTP_PORTS=80", "ASPNETCORE_HTTP_PORTS", "Hosting__Url")]
    [InlineData("HTTP_PORTS=80", "HTTP_PORTS", "Hosting__Url")]
    [InlineData("DOTNET_URLS=http://+:80", "DOTNET_URLS", "Hosting__Url")]
    [InlineData("URLS=http://+:80", "URLS", "Hosting__Url")]
    [InlineData("PORT=3000", "PORT", "Hosting__Url")]
    public void Plan_VariableThatLooksLikeASetting_IsAWarningWithTheRightName(string variable, string name, string right)
    {
        WorkerPlan plan = Plan(file: null, environment: [variable]);

        plan.Errors.ShouldBeEmpty();
        plan.Warnings
            .Select(warning => warning.ToString())
            .ShouldContain($"{name}: is set in the environment, and the worker does not read it. Set {right}. It has no effect.");
    }

    [Theory]
    [InlineData("AWS_REGION=eu-west-1")]
    [InlineData("AWS_PROFILE=x")]
    [InlineData("PIPELINE_ID=7")]
    [InlineData("HOSTING_PLAN=free")]
    [InlineData("PORT=")]
    [InlineData("PORT=8080", "Hosting:Url=http://0.0.0.0:8080")]
    [InlineData("ASPNETCORE_HTTP_PORTS=8080", "Hosting:Url=http://0.0.0.0:8080")]
    [InlineData("ASPNETCORE_URLS=http://+:80", "URLS=http://+:80")]
    public void Plan_VariableOfAnotherProgram_IsNoWarning(params string[] environment) =>
        Plan(file: null, environment: environment).Warnings
            .Select(warning => warning.ToString())
            .ShouldNotContain(warning => warning.Contains($"{environment[0].Split('=')[0]}: ", StringComparison.Ordinal));

    private IEnumerable<string> ErrorsOf(string? file, params string[] keys) => Plan(file, keys).Errors.Select(error => error.ToString());

    private WorkerPlan Plan(string? file, string[] environment, params string[] keys)
    {
        string prefix = $"NAMED_ROUTE_TEST_{Guid.NewGuid():N}_";
        (string Name, string Value)[] variables =
            [.. environment.Select(pair => pair.Split('=', 2)).Select(pair => (prefix + pair[0].Replace(":", "__", StringComparison.Ordinal), pair[1]))];
        foreach ((string name, string value) in variables)
        {
            Environment.SetEnvironmentVariable(name, value);
        }

        try
        {
            ConfigurationBuilder builder = new();
            if (file is not null)
            {
                builder.AddJsonFile(Write(file));
            }

            return WorkerHost.Plan(builder.AddEnvironmentVariables(prefix).AddCommandLine(keys).Build());
        }
        finally
        {
            foreach ((string name, _) in variables)
            {
                Environment.SetEnvironmentVariable(name, value: null);
            }
        }
    }

    private WorkerPlan Plan(string? file, params string[] keys) => WorkerHost.Plan(WorkerConfiguration.Build(file is null ? null : Write(file), keys));

    private string Write(string json)
    {
        string path = Path.Combine(_folder.Path, "mine.json");
        File.WriteAllText(path, json);
        return path;
    }
}
