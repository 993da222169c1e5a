using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Planning;
using Shared.Hosting;

namespace Messaging.Tests.CommandLine;

/// <summary>Printing a chain needs no region and no credentials.</summary>
public sealed class PrintPipelineActionTests
{
    [Theory]
    [InlineData("StoreTerminator", "--Routes:archive:Source=Sqs", "--Sources:Sqs:Queue=orders", "--Routes:archive:Sink=S3", "--Sinks:S3:Bucket=bucket")]
    [InlineData("StoreTerminator", "--Routes:archive:Sink=S3", "--Sinks:S3:Bucket=bucket", "--Sinks:S3:Client=Sdk")]
    [InlineData("StoreTerminator", "--Routes:archive:Sink=S3", "--Sinks:S3:Bucket=bucket", "--Bundles:Enabled=true", "--Intake:Concurrency=1000")]
    [InlineData(
        "IndexTerminator",
        "--Routes:archive:Source=Sqs", "--Sources:Sqs:Queue=orders", "--Routes:archive:Handler=CloudFront", "--Handlers:CloudFront:Buckets=logs",
        "--Routes:archive:Sink=Elasticsearch", "--Sinks:Elasticsearch:Endpoint=http://127.0.0.1:9", "--Sinks:Elasticsearch:Index=logs")]
    public async Task Compose_RouteThatNeedsARegion_ComposesWithoutOne(string terminator, params string[] keys)
    {
        // A profile that does not exist: any lookup of a region or credentials fails, whatever the machine's environment holds.
        using IHost app = WorkerHost.Build(WorkerConfiguration.Build(configFile: null, [.. keys, "--Aws:Profile=no-such-profile"], readSettingsFile: false));

        RoutePlan plan = app.Services.GetRequiredService<WorkerPlan>().Routes.ShouldHaveSingleItem();

        plan.DescribeChain(app.Services).ShouldContain(terminator);
    }

    [Theory]
    [InlineData(true, "--Routes:archive:Sink=Directory")]
    [InlineData(false, "--Routes:archive:Sink=S3", "--Sinks:S3:Bucket=bucket")]
    [InlineData(false, "--Routes:archive:Sink=Directory", "--Bundles:Enabled=true", "--Intake:Concurrency=1000")]
    [InlineData(false, "--Routes:archive:Sink=Directory", "--Recoverability:Attempts=1")]
    public void Compose_Archive_RetriesOnlyAroundASinkThatDoesNotRetryItself(bool retries, params string[] keys)
    {
        using IHost app = WorkerHost.Build(WorkerConfiguration.Build(configFile: null, keys, readSettingsFile: false));

        RoutePlan plan = app.Services.GetRequiredService<WorkerPlan>().Routes.ShouldHaveSingleItem();

        plan.DescribeChain(app.Services).Contains("RetryBehavior").ShouldBe(retries);
    }
}
