using System.Diagnostics;
using Integration.Tests.Faults.S3;
using Integration.Tests.Processes;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>A worker that was suspended while its messages became visible again (fault table, row 3).</summary>
[Trait("Category", "Long")]
public sealed class SuspensionTests(AwsServer aws, RealS3 realS3)
{
    // A little more than the worker's shortest visibility timeout; a real pause, so that its clocks see the gap.
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(33);

    [Fact]
    public async Task Stop_ForLongerThanTheVisibility_LosesNothingAndLogsLittle()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs POSIX signals");
        await using FauxqsServer server = await FauxqsServer.RequireOwnAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(server.Endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(server.Endpoint, deadLetters: deadLetters, maxReceiveCount: 100);
        await using var sink = (FaultyS3UnderTest)await SinkUnderTest.CreateAsync(SinkKind.FaultyS3, aws, realS3);
        sink.Server.Script = FaultScript.Empty.With(new FaultRule { Fault = S3Fault.None, Delay = TimeSpan.FromMilliseconds(300) });
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("suspended", 400);
        await queue.SendAllAsync(messages.Select(message => message.Text));
        await using RunningWorker worker = await RunningWorker.StartAsync([.. RunningWorker.SqsArguments(server.Endpoint, queue), .. sink.Arguments]);
        await Eventually.BecomesTrueAsync(() => sink.Puts >= 100, "some messages are stored and more in flight");

        await worker.Process.SignalAsync(ProcessSignal.Stop);
        int inFlight = (await queue.CountAsync()).InFlight;
        await Task.Delay(Pause);
        int lines = worker.Process.Output.Snapshot().Length;
        var watch = Stopwatch.StartNew();
        await worker.Process.SignalAsync(ProcessSignal.Continue);
        await queue.WaitForCountAsync(counts => counts.Total == 0, TimeSpan.FromSeconds(90));

        (await worker.StopAsync()).ShouldBe(0);
        int extraLines = worker.Process.Output.Snapshot().Length - lines;
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"SUSPENDED: {inFlight} in flight, {sink.Puts - messages.Length} extra PUTs, {extraLines} lines after it, "
                + $"{watch.Elapsed.TotalSeconds:f1} s to catch up");
        inFlight.ShouldBeGreaterThan(0);
        await sink.ShouldHoldExactlyAsync(messages);
        (sink.Puts - messages.Length).ShouldBeInRange(0, inFlight);
        (await deadLetters.CountAsync()).Total.ShouldBe(0);
        extraLines.ShouldBeLessThan(20, worker.Process.Output.Describe());
    }
}
