using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sinks.Bundles;
using Quayside.Messaging.Sinks.Memory;
using Shared.Hosting;

namespace Messaging.Tests.Sinks.Bundles;

/// <summary>Which combinations are refused, with an error that names both settings.</summary>
public sealed class BundlePlannerTests
{
    private static readonly string[] Enabled = ["Bundles:Enabled=true", "Intake:Concurrency=1000", "Routes:archive:Sink=Memory"];

    [Fact]
    public void Plan_NotEnabled_LeavesTheSinkAlone() => Sink("Routes:archive:Sink=Memory").ShouldBeOfType<MemorySink>();

    [Fact]
    public void Plan_Enabled_PutsBundlesAroundTheSink() => Sink(Enabled).ShouldBeOfType<BundlingSink>();

    [Fact]
    public void Plan_EnabledForOneRoute_LeavesTheOthersAlone()
    {
        WorkerPlan plan = Plan(
            "Routes:one:Sink=Memory", "Routes:one:Source=Http", "Routes:one:Bundles:Enabled=true", "Routes:one:Intake:Concurrency=1000",
            "Routes:two:Sink=Memory");

        plan.Errors.ShouldBeEmpty();
        plan.Routes.Select(route => Sink(route).GetType()).ShouldBe([typeof(BundlingSink), typeof(MemorySink)]);
    }

    [Theory]
    [InlineData(
        "Intake:Concurrency=999",
        "Intake:Concurrency = \"999\": must be at least twice Bundles:MaxMessages = 500: raise it to 1000, or lower Bundles:MaxMessages to 499.")]
    [InlineData(
        "Sources:Channel:Capacity=998",
        "Sources:Channel:Capacity = \"998\": must be at least twice Bundles:MaxMessages = 500: raise it to 1000, or lower Bundles:MaxMessages to 499.")]
    [InlineData(
        "Intake:BytesInFlight=15MiB",
        "Intake:BytesInFlight = \"15MiB\": must be at least twice Bundles:MaxBytes = 8MiB: raise it, or lower Bundles:MaxBytes.")]
    [InlineData("Handlers:Archive:BodyValidation=HeaderOnly", "Handlers:Archive:BodyValidation = \"HeaderOnly\": must be Full with Bundles:Enabled.")]
    [InlineData("Intake:MessageTimeout=14s", "Intake:MessageTimeout = \"14s\": must be at least 15s (Bundles:MaxAge 10s + the sink's total time 0ms + 5s).")]
    [InlineData("Bundles:MaxMesages=5", "Bundles:MaxMesages: is not a known key. Did you mean MaxMessages?")]
    public void Plan_IncompatibleSettings_AreRefused(string setting, string expected) =>
    ErrorsOf([.. Enabled, setting]).ShouldHaveSingleItem().ShouldStartWith(expected);

    [Theory]
    [InlineData("Intake:MessageTimeout=34s", "Intake:MessageTimeout = \"34s\": must be at least 35s (Bundles:MaxAge 10s + the sink's total time 20s + 5s).")]
    [InlineData("Sources:Sqs:MaxHoldTime=60s", "Sources:Sqs:MaxHoldTime = \"1m\": must be at least Intake:MessageTimeout (90s).")]
    public void Plan_TooLittleTimeForSqsAndS3_IsRefused(string setting, string expected)
    {
        string[] age = setting.Contains("MaxHoldTime", StringComparison.Ordinal) ? ["Bundles:MaxAge=40s"] : [];

        ErrorsOf(
            ["Bundles:Enabled=true", "Intake:Concurrency=1000", "Routes:archive:Sink=S3", "Sinks:S3:Bucket=bucket", "Routes:archive:Source=Sqs",
                "Sources:Sqs:Queue=queue", .. age, setting])
            .ShouldHaveSingleItem().ShouldStartWith(expected);
    }

    [Theory]
    [InlineData(
        "66s", "Sources:Sqs:MaxHoldTime = \"15m\": must be at least 910s (10 messages of a group, one after another: "
            + "Bundles:MaxAge 66s + the sink's total time 20s + 5s each).")]
    [InlineData("65s", null)]
    public void Plan_FifoQueue_TheLastOfAReceiveMustHaveItsTimeToo(string maxAge, string? expected)
    {
        string[] errors = ErrorsOf(
            "Bundles:Enabled=true", $"Bundles:MaxAge={maxAge}", "Intake:Concurrency=1000", "Intake:MessageTimeout=10m",
            "Routes:archive:Sink=S3", "Sinks:S3:Bucket=bucket", "Routes:archive:Source=Sqs", "Sources:Sqs:Queue=queue.fifo");

        errors.Select(error => error[..(expected?.Length ?? 0)]).ShouldBe(expected is null ? [] : [expected]);
    }

    [Fact]
    public void Plan_SmallBundlesWithTheDefaultIntake_AreAllowed() => Plan("Bundles:Enabled=true", "Bundles:MaxMessages=32").Errors.ShouldBeEmpty();

    private static WorkerPlan Plan(params string[] settings) =>
        WorkerHost.Plan(new ConfigurationBuilder().AddCommandLine([.. settings.Select(setting => $"--{setting}")]).Build());

    private static string[] ErrorsOf(params string[] settings) => [.. Plan(settings).Errors.Select(error => error.ToString())];

    private static IObjectSink Sink(params string[] settings) => Sink(Plan(settings).Routes.Single());

    private static IObjectSink Sink(RoutePlan route) =>
        (IObjectSink)route.Sink!.Create(new SinkServices { Services = new ServiceCollection().BuildServiceProvider(), Time = new ManualTimeProvider() });
}
