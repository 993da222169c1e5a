using System.Net;
using System.Net.Sockets;
using Integration.Tests.Faults;
using Integration.Tests.Processes;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>The start of a worker when a resource is missing, refused, in use or not ready yet.</summary>
public sealed class StartUpTests(AwsServer aws, RealS3 realS3)
{
    private const int Unavailable = 69;

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
