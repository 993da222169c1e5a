using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Intake;
using Quayside.Messaging.Planning;
using Shared.Hosting;

namespace Messaging.Tests.Intake;

/// <summary>How many messages a route's source may have in flight, by its settings and parts.</summary>
public sealed class SlotRangeTests
{
    [Theory]
    [InlineData(64, 1_000, 4)]
    [InlineData(10, 10, 4, "Intake:Concurrency=10")]
    [InlineData(2, 2, 2, "Intake:Concurrency=2")]
    [InlineData(300, 1_000, 4, "Intake:StartConcurrency=300")]
    [InlineData(200, 200, 4, "Intake:Concurrency=200", "Intake:StartConcurrency=200")]

    // A call of Service Bus keeps its lock until it has a slot for the next message: seed 140 of the simulation waited for ever.
    [InlineData(1_000, 1_000, 1_000, "Routes:archive:Source=Http")]
    [InlineData(1_000, 1_000, 1_000, "Bundles:Enabled=true")]
    [InlineData(
        64, 64, 4, "Routes:archive:Source=Sqs", "Sources:Sqs:Queue=events", "Routes:archive:Handler=CloudFront", "Handlers:CloudFront:Buckets=logs",
        "Routes:archive:Sink=Elasticsearch",
        "Sinks:Elasticsearch:Endpoint=http://127.0.0.1:9200", "Sinks:Elasticsearch:Index=logs")]
    [InlineData(
        64, 64, 64, "Routes:archive:Source=Http", "Routes:archive:Handler=CloudFront", "Handlers:CloudFront:Buckets=logs", "Routes:archive:Sink=Elasticsearch",
        "Sinks:Elasticsearch:Endpoint=http://127.0.0.1:9200", "Sinks:Elasticsearch:Index=logs")]
    public void SlotsOf_ARoute_FollowsItsSettingsAndParts(int start, int max, int min, params string[] settings)
    {
        string[] arguments = ["--Routes:archive:Source=Channel", "--Routes:archive:Sink=Memory", .. settings.Select(setting => $"--{setting}")];
        WorkerPlan plan = WorkerHost.Plan(new ConfigurationBuilder().AddCommandLine(arguments).Build());
        plan.Errors.ShouldBeEmpty();
        RoutePlan route = plan.Routes.ShouldHaveSingleItem();

        route.SlotsOf(route.Sources[0]).ShouldBe(new SlotRange(start, max, min));
    }
}
