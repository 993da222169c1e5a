using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
using Quayside.Messaging.Http.Web;
using Quayside.Messaging.Planning;
using Quayside.Pipeline.Execution;
using Shared.Hosting;

namespace Messaging.Tests.Hosting;

public sealed class WorkerHostTests
{
    [Fact]
    public void Plan_WithoutConfiguration_IsChannelAndHttpIntoAFolder()
    {
        WorkerPlan plan = WorkerHost.Plan(Configuration());

        plan.Errors.ShouldBeEmpty();
        RoutePlan route = plan.Routes.ShouldHaveSingleItem();
        route.Name.ShouldBe("archive");
        route.Form.ShouldBe(PipelineForm.Fused);
        route.Sources.Select(source => source.Name).ShouldBe(["Channel", "Http"]);
        route.Intake.Concurrency.ShouldBe(1_000);
        plan.Get<WebOptions>().Url.IsLoopback.ShouldBeTrue();
    }

    [Fact]
    public void Plan_ShippedSettingsFile_IsValidAndChangesNoDefault()
    {
        IConfigurationRoot shipped = WorkerConfiguration.Build(configFile: null, []);

        WorkerPlan plan = WorkerHost.Plan(shipped);

        plan.Errors.ShouldBeEmpty();
        Dictionary<string, string> defaults = WorkerHost.Plan(Configuration("Routes:archive:Handler=Archive")).Effective.ToDictionary(s => s.Key, s => s.Value);
        plan.Effective.ShouldAllBe(setting => defaults[setting.Key] == setting.Value);
    }

    [Fact]
    public void Plan_ManyMistakes_NamesAllWithKeyValueAndWhatIsAllowed()
    {
        WorkerPlan plan = WorkerHost.Plan(Configuration(
            "Routes:archive:Source=Sqs, Carrier",
            "Routes:archive:Sink=S3",
            "Routes:archive:Handler=Archiv",
            "Sources:Sqs:VisibilityTimeout=5s",
            "Sources:Sqs:Queu=x",
            "Intake:Concurrency=0",
            "Handlers:Archive:Template={Product}/x",
            "Hosting:Url=ftp://127.0.0.1"));

        string all = string.Join('\n', plan.Errors);
        plan.Routes.ShouldBeEmpty();
        all.ShouldContain("Routes:archive:Source = \"Carrier\": there is no such source");
        all.ShouldContain("Routes:archive:Handler = \"Archiv\": there is no such handler");
        all.ShouldContain("Sources:Sqs:Queue: must be set");
        all.ShouldContain("Sources:Sqs:VisibilityTimeout = \"5s\": must be from 30s to 12h.");
        all.ShouldContain("Did you mean Queue?");
        all.ShouldContain("Intake:Concurrency = \"0\": must be from 1 to 10000.");
        all.ShouldContain("Sinks:S3:Bucket: must be set");
        all.ShouldContain("Hosting:Url = \"ftp://127.0.0.1\"");
    }

    [Fact]
    public void Plan_BucketMissingForOneOfTwoRoutes_NamesThatRoute()
    {
        WorkerPlan plan = WorkerHost.Plan(Configuration("Routes:a:Source=Channel", "Routes:a:Sink=Directory", "Routes:b:Source=Channel", "Routes:b:Sink=S3"));

        plan.Errors.ShouldHaveSingleItem().ToString().ShouldStartWith("Sinks:S3:Bucket: must be set for route b (or Routes:b:Sinks:S3:Bucket): ");
    }

    [Theory]
    [InlineData("localhost:80")]
    [InlineData("http://127.0.0.1:99999")]
    public void Plan_UrlThatIsNone_ShowsTheWorkersOwnAddressAndTheLastPort(string url)
    {
        WorkerPlan plan = WorkerHost.Plan(Configuration("Routes:a:Source=Channel", $"Hosting:Url={url}"));

        plan.Errors.ShouldHaveSingleItem().Problem.ShouldBe("must be an absolute address such as http://127.0.0.1:8080, with a port up to 65535.");
    }

    [Fact]
    public void Plan_MistakesInSectionsNoRouteUses_AreNamedToo()
    {
        WorkerPlan plan =
            WorkerHost.Plan(Configuration("Routes:archive:Sink=Directory", "Sinks:S3:Bukket=x", "Sinks:S3:TotalTimeout=soon", "Sources:Sqs:DoneIds=-1"));

        plan.Errors.Select(error => error.Key).ShouldBe(["Sinks:S3:Bukket", "Sinks:S3:TotalTimeout", "Sources:Sqs:DoneIds"], ignoreOrder: true);
    }

    [Theory]
    [InlineData("PrefetchCount=0", null)]
    [InlineData("Subscription=orders", "Sources:ServiceBus:Queue")]
    public void Plan_UnusedSection_ChecksOnlyRulesOverItsKeys(string key, string? wrong)
    {
        WorkerPlan plan = WorkerHost.Plan(Configuration($"Sources:ServiceBus:{key}"));

        plan.Errors.Select(error => error.Key).ShouldBe(wrong is null ? [] : [wrong]);
    }

    /// <summary>Otherwise callers would be answered before the routes have been checked, and after they have ended.</summary>
    [Fact]
    public void Build_WebServer_StartsAfterTheRoutes()
    {
        using IHost host = WorkerHost.Build(Configuration("Routes:a:Source=Http"));

        string[] started = [.. host.Services.GetServices<IHostedService>().Select(service => service.GetType().Name)];

        started.ShouldContain(nameof(WebServer));
        started.TakeWhile(name => name != nameof(WebServer)).ShouldContain(nameof(WorkerService));
    }

    private static IConfigurationRoot Configuration(params string[] keys) =>
        WorkerConfiguration.Build(configFile: null, [.. keys.Select(key => $"--{key}")], readSettingsFile: false);
}
