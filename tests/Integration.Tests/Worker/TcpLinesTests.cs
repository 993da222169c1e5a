using System.Net;
using System.Text.RegularExpressions;
using Integration.Tests.Processes;

namespace Integration.Tests.Worker;

/// <summary>`publish` to a daemon with the TCP lines source and a folder.</summary>
public sealed class TcpLinesTests
{
    [Fact]
    public async Task Publish_ToTcp_StoresAndAcknowledgesEach()
    {
        await using DirectoryUnderTest sink = new();
        await using RunningWorker worker = await StartAsync(sink);
        IPEndPoint endpoint = await EndpointAsync(worker);

        WorkerCommand publish = await WorkerCommand.RunAsync(
            "publish", "--to", "tcp", "--count", "700", $"--Sources:TcpLines:Endpoint={endpoint}", "--Sources:TcpLines:Acknowledge=true");

        publish.ExitCode.ShouldBe(0, publish.Text);
        publish.Text.ShouldContain("700 message(s) stored by");
        (await sink.ReadAllAsync()).Count.ShouldBe(700);
        (await worker.StopAsync()).ShouldBe(0);
    }

    [Fact]
    public async Task Publish_ToTcpWithoutListener_SaysWhatToDo()
    {
        WorkerCommand publish = await WorkerCommand.RunAsync("publish", "--to", "tcp", "--count", "1", "--Sources:TcpLines:Endpoint=127.0.0.1:1");

        publish.ExitCode.ShouldBe(69);
        publish.ShouldHaveNoStackTrace().Error.ShouldContain("Sources:TcpLines:Endpoint");
    }

    private static Task<RunningWorker> StartAsync(DirectoryUnderTest sink) => RunningWorker.StartAsync(
        ["--Routes:archive:Source=TcpLines", "--Sources:TcpLines:Endpoint=127.0.0.1:0", "--Sources:TcpLines:Acknowledge=true", .. sink.Arguments]);

    private static async Task<IPEndPoint> EndpointAsync(RunningWorker worker)
    {
        CapturedLine line = await worker.Process.WaitForLineAsync("accepting connections on 127");
        return IPEndPoint.Parse(Regex.Match(line.Text, @"127\.0\.0\.1:\d+", RegexOptions.None, TimeSpan.FromSeconds(10)).Value);
    }
}
