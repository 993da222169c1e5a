using Integration.Tests.Faults.S3;
using Integration.Tests.Processes;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>SIGTERM with messages in flight (fault table, row 2).</summary>
public sealed class ShutdownTests(AwsServer aws, RealS3 realS3)
{
    // A multiple of ten, since receives bring ten at a time.
    private const int Concurrency = 40;
    private const int Messages = 100;

    [Theory]
    [InlineData(ProcessSignal.Terminate)]
    [InlineData(ProcessSignal.Interrupt)]
    internal async Task Signal_MessagesInFlight_FinishesThemAndHandsBackTheRest(ProcessSignal signal)
    {
        await using Scene scene =
            await Scene.CreateAsync(aws, realS3, new FaultRule { Fault = S3Fault.None, Delay = TimeSpan.FromSeconds(4) }, "--Hosting:DrainTimeout=25s");
        RunningWorker worker = scene.Worker;

        await worker.Process.SignalAsync(signal);
        int exitCode = await worker.Process.WaitForExitAsync(TimeSpan.FromSeconds(25));

        exitCode.ShouldBe(0);
        Dictionary<string, byte[]> stored = await scene.Sink.ReadAllAsync();
        // The messages in flight at the signal (on a slow machine some were stored earlier and others received in their slots)
        // are stored once each; all others are visible.
        stored.Count.ShouldBeInRange(Concurrency, 2 * Concurrency);
        scene.Sink.Puts.ShouldBe(stored.Count);
        (await scene.Queue.CountAsync()).ShouldBe(new SqsCounts(Visible: Messages - stored.Count, InFlight: 0, Delayed: 0));
        await scene.Sink.ShouldHoldExactlyAsync(scene.Sent.Where(message => stored.ContainsKey(message.Key)));
    }

    [Fact]
    public async Task Terminate_DrainTimeoutEnds_AbandonsImmediatelyAndExits1()
    {
        await using Scene scene = await Scene.CreateAsync(
            aws, realS3, new FaultRule { Fault = S3Fault.HangBeforeCommit }, "--Hosting:DrainTimeout=1s", "--Sinks:S3:AttemptTimeout=60s",
            "--Sinks:S3:TotalTimeout=60s");

        int exitCode = await scene.Worker.StopAsync(TimeSpan.FromSeconds(25));

        exitCode.ShouldBe(1);
        (await scene.Queue.CountAsync()).ShouldBe(new SqsCounts(Visible: Messages, InFlight: 0, Delayed: 0));
        (await scene.DeadLetters.CountAsync()).Total.ShouldBe(0);
    }

    [Fact]
    public async Task Terminate_SecondSignal_EndsTheDrainNow()
    {
        await using Scene scene = await Scene.CreateAsync(
            aws, realS3, new FaultRule { Fault = S3Fault.HangBeforeCommit }, "--Hosting:DrainTimeout=5m", "--Sinks:S3:AttemptTimeout=60s",
            "--Sinks:S3:TotalTimeout=60s");
        RunningWorker worker = scene.Worker;

        await worker.Process.SignalAsync(ProcessSignal.Terminate);
        await worker.Process.WaitForLineAsync("Stopping: receiving has ended");
        worker.Process.HasExited.ShouldBeFalse("The drain lasts as long as the messages hang.");
        await worker.Process.SignalAsync(ProcessSignal.Terminate);
        int exitCode = await worker.Process.WaitForExitAsync(TimeSpan.FromSeconds(25));

        exitCode.ShouldBe(1);
        await worker.Process.WaitForLineAsync("the drain ended, and");
        (await scene.Queue.CountAsync()).ShouldBe(new SqsCounts(Visible: Messages, InFlight: 0, Delayed: 0));
    }

    [Fact]
    public async Task Terminate_WhileStarting_EndsWithoutReceiving()
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        await using var proxy = new Faults.TcpFaultProxy(endpoint.ServiceUrl);
        proxy.Set(new Faults.TcpFault.Hang());
        await using WorkerProcess worker =
            WorkerProcess.Start([.. RunningWorker.CommonArguments, .. RunningWorker.SqsArguments(endpoint with { ServiceUrl = proxy.Url }, queue)]);
        await Eventually.BecomesTrueAsync(() => proxy.Accepted > 0, "the worker asks for its queue");

        await worker.SignalAsync(ProcessSignal.Terminate);
        int exitCode = await worker.WaitForExitAsync(TimeSpan.FromSeconds(20));

        exitCode.ShouldBe(0);
        worker.Output.Snapshot().ShouldAllBe(line => !line.Text.Contains("   at ", StringComparison.Ordinal));
    }

    /// <summary>A worker whose slots all hold messages that the sink is storing, with more messages in the queue.</summary>
    private sealed class Scene(SqsQueue queue, SqsQueue deadLetters, FaultyS3UnderTest sink, ArchiveMessage[] sent, RunningWorker worker) : IAsyncDisposable
    {
        public SqsQueue Queue => queue;

        public SqsQueue DeadLetters => deadLetters;

        public FaultyS3UnderTest Sink => sink;

        public ArchiveMessage[] Sent => sent;

        public RunningWorker Worker => worker;

        public static async Task<Scene> CreateAsync(AwsServer aws, RealS3 realS3, FaultRule rule, params string[] arguments)
        {
            Assert.SkipWhen(OperatingSystem.IsWindows(), "needs POSIX signals");
            AwsEndpoint endpoint = await aws.RequireAsync();
            SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
            SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
            var sink = (FaultyS3UnderTest)await SinkUnderTest.CreateAsync(SinkKind.FaultyS3, aws, realS3);
            sink.Server.Script = FaultScript.Empty.With(rule);
            ArchiveMessage[] messages = ArchiveMessage.CreateMany("stop", Messages);
            await queue.SendAllAsync(messages.Select(message => message.Text));
            RunningWorker worker = await RunningWorker.StartAsync(
                [.. RunningWorker.SqsArguments(endpoint, queue), .. sink.Arguments, $"--Intake:Concurrency={Concurrency}", .. arguments]);
            await Eventually.BecomesTrueAsync(() => sink.Server.InFlight == Concurrency, "every slot is storing");
            return new Scene(queue, deadLetters, sink, messages, worker);
        }

        public async ValueTask DisposeAsync()
        {
            await worker.DisposeAsync();
            await sink.DisposeAsync();
            queue.Dispose();
            deadLetters.Dispose();
        }
    }
}
