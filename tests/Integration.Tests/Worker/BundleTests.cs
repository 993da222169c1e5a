using Integration.Tests.Faults.S3;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>SQS into bundles into S3, in processes that are stopped.</summary>
public sealed class BundleTests(AwsServer aws, RealS3 realS3)
{
    [Fact]
    public async Task Terminate_BundleIsHalfFull_StoresItAndExits0()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs POSIX signals");
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        await using var sink = (FaultyS3UnderTest)await SinkUnderTest.CreateAsync(SinkKind.FaultyS3, aws, realS3);
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("half", 60);
        await queue.SendAllAsync(messages.Select(message => message.Text));
        await using RunningWorker worker = await RunningWorker.StartAsync(
        [
            .. RunningWorker.SqsArguments(endpoint, queue), .. sink.Arguments,
            "--Bundles:Enabled=true", "--Bundles:MaxMessages=200", "--Bundles:MaxAge=5m", "--Intake:Concurrency=400", "--Intake:MessageTimeout=10m",
        ]);
        await Eventually.BecomesTrueAsync(
            async () => (await worker.HealthAsync()).Route["inFlight"]!.GetValue<int>() == messages.Length, "all messages wait in their bundle");
        sink.Puts.ShouldBe(0);
        (await queue.CountAsync()).InFlight.ShouldBe(messages.Length);

        // The drain limit is 25 s, and the bundle's age 5 minutes.
        (await worker.StopAsync(TimeSpan.FromSeconds(20))).ShouldBe(0);

        (await sink.ReadLinesAsync()).ShouldBe(messages.Select(message => message.Text), ignoreOrder: true);
        sink.Server.Objects.List("archive", "", "", 10).ShouldHaveSingleItem().Value.ContentType.ShouldBe("application/gzip");
        (await queue.CountAsync()).Total.ShouldBe(0);
    }

    [Fact]
    public async Task Terminate_DrainTimeoutEnds_CancelsThePutAndAbandonsImmediately()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs POSIX signals");
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        await using var sink = (FaultyS3UnderTest)await SinkUnderTest.CreateAsync(SinkKind.FaultyS3, aws, realS3);
        sink.Server.Script = FaultScript.Empty.OnEveryPut(S3Fault.HangBeforeCommit);
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("hang", 100);
        await queue.SendAllAsync(messages.Select(message => message.Text));
        await using RunningWorker worker = await RunningWorker.StartAsync(
            [.. RunningWorker.SqsArguments(endpoint, queue), .. sink.Arguments, "--Bundles:Enabled=true", "--Bundles:MaxMessages=50", "--Bundles:MaxAge=300ms",
                "--Intake:Concurrency=100", "--Hosting:DrainTimeout=1s", "--Sinks:S3:AttemptTimeout=60s", "--Sinks:S3:TotalTimeout=60s"]);
        await Eventually.BecomesTrueAsync(() => sink.Server.InFlight > 0, "a bundle is being stored");

        (await worker.StopAsync(TimeSpan.FromSeconds(25))).ShouldBe(1);

        (await queue.CountAsync()).ShouldBe(new SqsCounts(Visible: messages.Length, InFlight: 0, Delayed: 0));
        (await deadLetters.CountAsync()).Total.ShouldBe(0);
    }
}
