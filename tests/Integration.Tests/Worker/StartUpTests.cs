using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text.Json.Nodes;
using Integration.Tests.Faults;
using Integration.Tests.Faults.S3;
using Integration.Tests.Processes;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>The start of a worker when a resource is missing, refused, in use or not ready yet.</summary>
public sealed class StartUpTests(AwsServer aws, RealS3 realS3)
{
    private const int Unavailable = 69;
    private const int NoPermission = 77;

    [Fact]
    public async Task Start_QueueIsMissing_SaysSoAndExits69()
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint);

        WorkerCommand result = await RunAsync([.. RunningWorker.SqsArguments(endpoint, queue), "--Sources:Sqs:Queue=no-such-queue"]);

        result.ExitCode.ShouldBe(Unavailable, result.Text);
        ShouldBeOneLine(result, "there is no queue no-such-queue");
    }

    [Fact]
    public async Task Start_QueueHasNoDeadLetterQueue_SaysWhatToDoAndExits78()
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint);

        WorkerCommand result = await RunAsync([.. RunningWorker.SqsArguments(endpoint, queue)]);

        result.ExitCode.ShouldBe(78, result.Text);
        ShouldBeOneLine(result, "has no dead-letter queue");
    }

    [Theory]
    [InlineData(SinkKind.Fauxqs)]
    [InlineData(SinkKind.RealS3)]
    public async Task Start_BucketIsMissing_SaysSoAndExits69(SinkKind kind)
    {
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(kind, aws, realS3);

        WorkerCommand result = await RunAsync([.. sink.Arguments, "--Sinks:S3:Bucket=no-such-bucket"]);

        result.ExitCode.ShouldBe(Unavailable, result.Text);
        ShouldBeOneLine(result, "no-such-bucket");
    }

    [Fact]
    public async Task Start_CredentialsAreRefused_SaysSoAndExits77()
    {
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(SinkKind.RealS3, aws, realS3);

        WorkerCommand wrongSecret = await RunAsync([.. sink.Arguments, "--Sinks:S3:SecretAccessKey=not-the-secret"]);
        WorkerCommand wrongKey = await RunAsync([.. sink.Arguments, "--Sinks:S3:AccessKeyId=unknown"]);

        wrongSecret.ExitCode.ShouldBe(NoPermission, wrongSecret.Text);
        ShouldBeOneLine(wrongSecret, "SignatureDoesNotMatch");
        wrongKey.ExitCode.ShouldBe(NoPermission, wrongKey.Text);
        ShouldBeOneLine(wrongKey, "InvalidAccessKeyId");
    }

    [Fact]
    public async Task Start_DeadLettersCannotBeWritten_SaysWhatToDoAndExits69()
    {
        string file = Path.GetTempFileName();
        try
        {
            WorkerCommand result = await RunAsync([$"--DeadLetters:Path={file}", "--Routes:archive:Source=Http", "--Routes:archive:Sink=Memory"]);

            result.ExitCode.ShouldBe(Unavailable, result.Text);
            ShouldBeOneLine(result, "DeadLetters:Path");
        }
        finally
        {
            File.Delete(file);
        }
    }

    [Fact]
    public async Task Start_PortIsTaken_SaysSoAndReceivesNothing()
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        await queue.SendAllAsync(ArchiveMessage.CreateMany("taken", 20).Select(message => message.Text));
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(SinkKind.Directory, aws, realS3);
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        int port = ((IPEndPoint)listener.LocalEndpoint).Port;

        WorkerCommand result = await RunAsync([.. RunningWorker.SqsArguments(endpoint, queue), .. sink.Arguments, $"--Hosting:Url=http://127.0.0.1:{port}"]);

        result.ExitCode.ShouldBe(Unavailable, result.Text);
        ShouldBeOneLine(result, $"http://127.0.0.1:{port}: address already in use");
        // A supervisor keeps restarting the worker: each start would bring every message nearer to its maxReceiveCount.
        (await queue.CountAsync()).ShouldBe(new SqsCounts(Visible: 20, InFlight: 0, Delayed: 0));
        (await queue.ReceiveAsync()).ShouldAllBe(message => message.ReceiveCount == 1);
        (await sink.ReadAllAsync()).ShouldBeEmpty();
    }

    [Fact]
    public async Task Start_AWorkerHasThePort_NamesItBeforeAnySourceReceives()
    {
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(SinkKind.Directory, aws, realS3);
        await using RunningWorker first = await RunningWorker.StartAsync(sink.Arguments);

        WorkerCommand second = await RunAsync(
            [.. sink.Arguments, "--Routes:archive:Source=Udp,TcpLines,Http", "--Sources:Udp:Endpoint=127.0.0.1:0", "--Sources:TcpLines:Endpoint=127.0.0.1:0", $"--Hosting:Url={first.Url}"]);

        second.ExitCode.ShouldBe(Unavailable, second.Text);
        ShouldBeOneLine(second, $"A worker answers there: process {first.Process.Id}, routes archive. Stop it, or give this worker an address of its own: --Hosting:Url=http://127.0.0.1:{first.Url.Port + 1}");
        second.Text.ShouldNotContain("accepting connections");
        second.Text.ShouldNotContain("receiving");
    }

    [Fact]
    public async Task Demo_OnceWhileAWorkerHasTheDefaultPort_RunsOnAFreeOne()
    {
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(SinkKind.Directory, aws, realS3);
        using TcpListener listener = new(IPAddress.Loopback, 8_080);
        try
        {
            listener.Start();
        }
        catch (SocketException)
        {
            // Another program uses the port, which is all that the test needs.
        }

        WorkerCommand demo = await WorkerCommand.RunAsync([.. sink.Arguments, "--demo", "10", "--once"]);

        demo.ExitCode.ShouldBe(0, demo.Text);
        demo.Text.ShouldNotContain("http://127.0.0.1:8080");
    }

    [Fact]
    public async Task Start_EndpointsAreDead_WarnsAndRecoversWhenTheyComeUp()
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        await using var sink = (FaultyS3UnderTest)await SinkUnderTest.CreateAsync(SinkKind.FaultyS3, aws, realS3);
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("late", 50);
        await queue.SendAllAsync(messages.Select(message => message.Text));
        await using var sqsProxy = new TcpFaultProxy(endpoint.ServiceUrl);
        await using var s3Proxy = new TcpFaultProxy(sink.Server.Endpoint.ServiceUrl);
        sqsProxy.Set(new TcpFault.Refuse());
        s3Proxy.Set(new TcpFault.Refuse());

        await using RunningWorker worker = await RunningWorker.StartAsync(
            [.. RunningWorker.SqsArguments(endpoint with { ServiceUrl = sqsProxy.Url }, queue), .. sink.Arguments, $"--Sinks:S3:Endpoint={s3Proxy.Url}"]);
        await worker.Process.WaitForLineAsync("warn: .*the queue is unreachable; receiving starts as soon as it answers");
        await worker.WaitForHealthAsync(HttpStatusCode.ServiceUnavailable);
        (await worker.HealthAsync()).Route["problem"]!.GetValue<string>().ShouldContain("Connection refused");

        // Logged once per five seconds at most.
        CapturedLine failed = await worker.Process.WaitForLineAsync("receiving failed");
        await worker.Process.WaitForLineAsync("receiving failed", from: failed.Index + 1);
        int linesWhileDown = worker.Process.Output.Snapshot().Length;
        s3Proxy.Clear();
        sqsProxy.Clear();

        await queue.WaitForCountAsync(counts => counts.Total == 0, TimeSpan.FromSeconds(90));
        await worker.WaitForHealthAsync(HttpStatusCode.OK);
        (await worker.StopAsync()).ShouldBe(0);
        await sink.ShouldHoldExactlyAsync(messages);
        (await deadLetters.CountAsync()).Total.ShouldBe(0);
        linesWhileDown.ShouldBeLessThan(12, worker.Process.Output.Describe());
    }

    [Fact]
    public async Task Run_SinkIsDownForAWhile_PausesReceivingAndLosesNothing()
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters, maxReceiveCount: 10);
        await using var sink = (FaultyS3UnderTest)await SinkUnderTest.CreateAsync(SinkKind.FaultyS3, aws, realS3);
        sink.Server.Script = FaultScript.Empty.OnEveryPut(S3Fault.AccessDenied);
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("refused", 200);
        await queue.SendAllAsync(messages.Select(message => message.Text));

        await using RunningWorker worker = await RunningWorker.StartAsync([.. RunningWorker.SqsArguments(endpoint, queue), .. sink.Arguments, "--Recoverability:BreakerOpen=1s"]);
        await worker.WaitForHealthAsync(HttpStatusCode.ServiceUnavailable);
        var watch = Stopwatch.StartNew();
        int first = sink.Puts;
        await Eventually.BecomesTrueAsync(() => sink.Puts >= first + 5, "the sink is probed");
        JsonNode route = (await worker.HealthAsync()).Route;
        int puts = sink.Puts;
        TimeSpan probed = watch.Elapsed;
        int lines = worker.Process.Output.Snapshot().Length;
        (await worker.HealthAsync("live")).Status.ShouldBe(HttpStatusCode.OK);
        sink.Server.Script = FaultScript.Empty;

        await queue.WaitForCountAsync(counts => counts.Total == 0, TimeSpan.FromSeconds(90));
        await worker.WaitForHealthAsync(HttpStatusCode.OK);
        (await worker.StopAsync()).ShouldBe(0);
        await sink.ShouldHoldExactlyAsync(messages);
        (await deadLetters.CountAsync()).Total.ShouldBe(0);
        route["lastFailure"]!.GetValue<string>().ShouldContain("AccessDenied");
        // The slots that were storing at the first refusal, then one probe per second.
        puts.ShouldBeLessThan(64 + 10 + (int)probed.TotalSeconds);
        lines.ShouldBeLessThan(40, worker.Process.Output.Describe());
    }

    private static Task<WorkerCommand> RunAsync(IEnumerable<string> arguments) => WorkerCommand.RunAsync([.. RunningWorker.CommonArguments, .. arguments]);

    private static void ShouldBeOneLine(WorkerCommand result, string words)
    {
        result.ShouldHaveNoStackTrace();
        string[] lines = result.Error.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        lines.Length.ShouldBe(1, result.Error);
        lines[0].ShouldStartWith("error: ");
        lines[0].ShouldContain(words);
    }
}
