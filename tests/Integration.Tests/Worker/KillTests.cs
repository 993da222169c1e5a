using System.Diagnostics;
using Integration.Tests.Faults.S3;
using Integration.Tests.Processes;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>kill -9 at any instant: every message ends as its object or as a dead letter with a reason (fault table, row 1).</summary>
[Trait("Category", "Long")]
public sealed class KillTests(AwsServer aws, RealS3 realS3)
{
    private const int Kills = 20;
    private const int FirstMessages = 2_000;
    private const int RefillBelow = 300;

    // A kill with nothing in flight (just after the start) does not count; this maximum is far more than needed.
    private const int MaxStarts = 4 * Kills;

    // One receive brings ten messages. Within this time a worker on an idle machine has begun to store, and may be past 500 messages.
    private const int LongestLifeMs = 300;

    [Theory]
    [InlineData(SinkKind.Directory, "Sdk")]
    [InlineData(SinkKind.FaultyS3, "Sdk")]
    [InlineData(SinkKind.FaultyS3, "Direct")]
    [InlineData(SinkKind.RealS3, "Sdk")]
    [InlineData(SinkKind.RealS3, "Direct")]
    public async Task Kill_InMidStreamTwentyTimes_LosesNothing(SinkKind kind, string s3Client)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs POSIX signals");
        int seed = Environment.GetEnvironmentVariable("KILL_SEED") is { Length: > 0 } given ? int.Parse(given) : Environment.TickCount;
        var random = new Random(seed);
        var watch = Stopwatch.StartNew();
        await using FauxqsServer server = await FauxqsServer.RequireOwnAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(server.Endpoint);
        // Enough receives that SQS never moves a message by itself: only the worker dead-letters.
        using SqsQueue queue = await SqsQueue.CreateAsync(server.Endpoint, deadLetters: deadLetters, maxReceiveCount: 1_000);
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(kind, aws, realS3);
        var sent = new Sent(queue);
        await sent.SendAsync(FirstMessages);
        string[] arguments = [.. RunningWorker.CommonArguments, .. RunningWorker.SqsArguments(server.Endpoint, queue), .. sink.Arguments, $"--Sinks:S3:Client={s3Client}"];

        int kills = 0;
        int starts = 0;
        int inFlightAtKills = 0;
        while (kills < Kills && starts < MaxStarts)
        {
            if ((await queue.CountAsync()).Visible < RefillBelow)
            {
                await sent.SendAsync(2 * RefillBelow);
            }

            starts++;
            await using WorkerProcess worker = WorkerProcess.Start(arguments);
            await worker.WaitForLineAsync("receiving from Sqs");
            await Task.Delay(random.Next(LongestLifeMs));
            worker.Kill();
            await worker.WaitForExitAsync();

            int inFlight = await queue.ExpireVisibilityAsync();
            inFlightAtKills += inFlight;
            kills += inFlight > 0 ? 1 : 0;
        }

        await using (RunningWorker last = await RunningWorker.StartAsync(arguments))
        {
            // Messages that SQS gave to a killed worker's last receive become visible again after 30 s.
            await queue.WaitForCountAsync(counts => counts.Total == 0, TimeSpan.FromSeconds(120));
            (await last.StopAsync()).ShouldBe(0);
        }

        List<SqsMessage> letters = await deadLetters.DrainAsync();
        int extraPuts = sink is FaultyS3UnderTest faulty ? faulty.Puts - sent.Good.Count : 0;
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"KILLS {kind} {s3Client}: seed {seed}, {kills} kills in mid-stream of {starts} starts, {sent.Good.Count} good and {sent.Poison.Count} bad messages, "
            + $"{inFlightAtKills} in flight at the kills, {extraPuts} extra PUTs, {letters.Count - sent.Poison.Count} extra dead letters, {watch.Elapsed.TotalSeconds:f1} s");
        kills.ShouldBe(Kills);
        await sink.ShouldHoldExactlyAsync(sent.Good);
        letters.ShouldAllBe(letter => letter.Attributes.GetValueOrDefault("DeadLetterReason") == "malformed-json");
        letters.Select(letter => letter.Body).Distinct().ShouldBe(sent.Poison, ignoreOrder: true);
        extraPuts.ShouldBeInRange(0, inFlightAtKills);
        (letters.Count - sent.Poison.Count).ShouldBeInRange(0, inFlightAtKills);
        if (sink is DirectoryUnderTest directory)
        {
            directory.Unfinished.ShouldBeLessThanOrEqualTo(inFlightAtKills);
        }
    }

    [Theory]
    [InlineData("Sdk")]
    [InlineData("Direct")]
    public async Task Kill_BetweenTheCommitAndItsAnswer_StoresOneObjectAndDeletesTheMessage(string s3Client)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs POSIX signals");
        await using FauxqsServer server = await FauxqsServer.RequireOwnAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(server.Endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(server.Endpoint, deadLetters: deadLetters);
        await using var sink = (FaultyS3UnderTest)await SinkUnderTest.CreateAsync(SinkKind.FaultyS3, aws, realS3);
        sink.Server.Script = FaultScript.Empty.OnPut(1, S3Fault.CommitThenHang);
        ArchiveMessage message = ArchiveMessage.Create("committed");
        await queue.SendAsync(message.Text);
        // Short polls: SQS would give the redelivered message to a long poll of the killed worker.
        string[] arguments = [.. RunningWorker.SqsArguments(server.Endpoint, queue), "--Sources:Sqs:WaitTime=0s", .. sink.Arguments, $"--Sinks:S3:Client={s3Client}"];

        await using (RunningWorker first = await RunningWorker.StartAsync(arguments))
        {
            await sink.Server.History.WaitForAsync(exchange => exchange.Committed);
            first.Process.Kill();
            await first.Process.WaitForExitAsync();
        }

        (await queue.ExpireVisibilityAsync()).ShouldBe(1);
        await using (RunningWorker second = await RunningWorker.StartAsync(arguments))
        {
            await queue.WaitForCountAsync(counts => counts.Total == 0);
            (await second.HealthAsync()).Route["duplicates"]!.GetValue<long>().ShouldBe(1);
            (await second.StopAsync()).ShouldBe(0);
        }

        await sink.ShouldHoldExactlyAsync([message]);
        sink.Server.History.Of().Select(exchange => (exchange.Outcome, exchange.Status)).ShouldBe([(S3Outcome.Hung, 200), (S3Outcome.Answered, 412)]);
        (await deadLetters.CountAsync()).Total.ShouldBe(0);
    }

    /// <summary>The messages in the queue: every 50th is bad.</summary>
    private sealed class Sent(SqsQueue queue)
    {
        public List<ArchiveMessage> Good { get; } = [];

        public List<string> Poison { get; } = [];

        public async Task SendAsync(int count)
        {
            ArchiveMessage[] good = ArchiveMessage.CreateMany("kill", count, Good.Count);
            string[] poison = [.. Enumerable.Range(Poison.Count, count / 50).Select(number => $$"""{"MessageId":"poison-{{number}}",""")];
            await queue.SendAllAsync(good.Select((message, index) => index % 50 == 0 && index / 50 < poison.Length ? (string[])[message.Text, poison[index / 50]] : [message.Text]).SelectMany(bodies => bodies));
            Good.AddRange(good);
            Poison.AddRange(poison);
        }
    }
}
