using Integration.Tests.Faults.S3;
using Integration.Tests.Processes;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>SQS into bundles into S3, in processes that are killed and stopped.</summary>
public sealed class BundleTests(AwsServer aws, RealS3 realS3)
{
    private const int Kills = 6;
    private const int MaxStarts = 5 * Kills;
    private const int RefillBelow = 400;

    // Bundles of 50 from 100 slots: at a kill some messages wait, some are being compressed, some stored, some acknowledged.
    private static readonly string[] SmallBundles = ["--Bundles:Enabled=true", "--Bundles:MaxMessages=50", "--Bundles:MaxAge=300ms", "--Intake:Concurrency=100"];

    [Theory]
    [InlineData("Sdk")]
    [InlineData("Direct")]
    [Trait("Category", "Long")]
    public async Task Kill_InMidStream_EachMessageIsInABundleAndNoneWasDeletedBefore(string s3Client)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs POSIX signals");
        int seed = Environment.GetEnvironmentVariable("KILL_SEED") is { Length: > 0 } given ? int.Parse(given) : Environment.TickCount;
        var random = new Random(seed);
        await using FauxqsServer server = await FauxqsServer.RequireOwnAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(server.Endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(server.Endpoint, deadLetters: deadLetters, maxReceiveCount: 1_000);
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(SinkKind.FaultyS3, aws, realS3);
        List<ArchiveMessage> sent = [];
        await SendAsync(queue, sent, 2 * RefillBelow);
        string[] arguments = [.. RunningWorker.CommonArguments, .. RunningWorker.SqsArguments(server.Endpoint, queue), .. sink.Arguments, .. SmallBundles, $"--Sinks:S3:Client={s3Client}"];

        int kills = 0;
        int starts = 0;
        while (kills < Kills && starts++ < MaxStarts)
        {
            if ((await queue.CountAsync()).Visible < RefillBelow)
            {
                await SendAsync(queue, sent, RefillBelow);
            }

            await using WorkerProcess worker = WorkerProcess.Start(arguments);
            await worker.WaitForLineAsync("receiving from Sqs");
            await Task.Delay(random.Next(600));
            worker.Kill();
            await worker.WaitForExitAsync();

            int inFlight = await queue.ExpireVisibilityAsync();
            kills += inFlight > 0 ? 1 : 0;
            int deleted = sent.Count - (await queue.CountAsync()).Total;
            (await sink.ReadLinesAsync()).Distinct(StringComparer.Ordinal).Count().ShouldBeGreaterThanOrEqualTo(deleted, "every deleted message is in a bundle");
        }

        kills.ShouldBe(Kills);
        await using (RunningWorker last = await RunningWorker.StartAsync(arguments))
        {
            // Messages that SQS gave to a killed worker's last receive become visible again after 30 s.
            await queue.WaitForCountAsync(counts => counts.Total == 0, TimeSpan.FromSeconds(120));
            (await last.StopAsync()).ShouldBe(0);
        }

        List<string> lines = await sink.ReadLinesAsync();
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"BUNDLE KILLS {s3Client}: seed {seed}, {kills} kills in mid-stream of {starts} starts, {sent.Count} messages, {(await sink.ReadAllAsync()).Count} objects, {lines.Count - sent.Count} lines stored again");
        lines.Distinct(StringComparer.Ordinal).ShouldBe(sent.Select(message => message.Text), ignoreOrder: true);
        (await deadLetters.CountAsync()).Total.ShouldBe(0);
    }

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
        await Eventually.BecomesTrueAsync(async () => (await worker.HealthAsync()).Route["inFlight"]!.GetValue<int>() == messages.Length, "all messages wait in their bundle");
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
            [.. RunningWorker.SqsArguments(endpoint, queue), .. sink.Arguments, .. SmallBundles, "--Hosting:DrainTimeout=1s", "--Sinks:S3:AttemptTimeout=60s", "--Sinks:S3:TotalTimeout=60s"]);
        await Eventually.BecomesTrueAsync(() => sink.Server.InFlight > 0, "a bundle is being stored");

        (await worker.StopAsync(TimeSpan.FromSeconds(25))).ShouldBe(1);

        (await queue.CountAsync()).ShouldBe(new SqsCounts(Visible: messages.Length, InFlight: 0, Delayed: 0));
        (await deadLetters.CountAsync()).Total.ShouldBe(0);
    }

    private static async Task SendAsync(SqsQueue queue, List<ArchiveMessage> sent, int count)
    {
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("kill", count, sent.Count);
        await queue.SendAllAsync(messages.Select(message => message.Text));
        sent.AddRange(messages);
    }
}
