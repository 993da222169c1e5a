using System.Net;
using System.Text.RegularExpressions;
using Integration.Tests.Processes;

namespace Integration.Tests.Worker;

/// <summary>The daemon with the TCP lines source and a folder: every acknowledged line is stored, even when the process is killed.</summary>
public sealed class TcpLinesTests
{
    private const int Messages = 20_000;
    private const int Connections = 4;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    [Trait("Category", "Long")]
    public async Task End_UnderLoad_EveryAcknowledgedLineIsStored(bool kill)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs POSIX signals");
        await using DirectoryUnderTest sink = new();
        List<TcpLinesSender> senders = [];
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("line", Messages);
        int sent = 0;
        await using (RunningWorker worker = await StartAsync(sink))
        {
            IPEndPoint endpoint = await EndpointAsync(worker);
            Task[] sending = [.. Enumerable.Range(0, Connections).Select(async _ =>
            {
                TcpLinesSender sender = new();
                lock (senders)
                {
                    senders.Add(sender);
                }

                await sender.ConnectAsync(endpoint);
                while (Interlocked.Increment(ref sent) is var next && next <= Messages && await sender.SendAsync(messages[next - 1]))
                {
                }
            })];
            await Eventually.BecomesTrueAsync(() => senders.ToArray().Sum(sender => sender.Stored.Count) >= 200, "200 lines are acknowledged");
            if (kill)
            {
                worker.Process.Kill();
                await worker.Process.WaitForExitAsync();
            }
            else
            {
                (await worker.StopAsync(TimeSpan.FromSeconds(60))).ShouldBe(0);
            }

            await Task.WhenAll(sending);
            await Task.WhenAll(senders.Select(sender => sender.Ended));
        }

        HashSet<ArchiveMessage> acknowledged = [.. senders.SelectMany(sender => sender.Stored)];
        acknowledged.Count.ShouldBeInRange(200, Messages - 1, "The end must come in mid-stream.");
        Dictionary<string, byte[]> stored = await sink.ReadAllAsync();
        foreach (ArchiveMessage message in acknowledged)
        {
            stored.TryGetValue(message.Key, out byte[]? bytes).ShouldBeTrue($"{message.Id} was acknowledged and is not stored.");
            bytes.ShouldBe(message.Body);
        }

        senders.SelectMany(sender => sender.Errors).Where(answer => !answer.EndsWith(" stopping")).ShouldBeEmpty();
        await SendTheRestAsync(sink, [.. messages.Where(message => !acknowledged.Contains(message)).Take(2_000)], acknowledged, stored);
        foreach (TcpLinesSender sender in senders)
        {
            await sender.DisposeAsync();
        }
    }

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

    // Resends the unacknowledged lines, as a sender would; lines that were stored anyway are duplicates.
    private static async Task SendTheRestAsync(DirectoryUnderTest sink, ArchiveMessage[] rest, HashSet<ArchiveMessage> acknowledged, Dictionary<string, byte[]> storedBefore)
    {
        await using RunningWorker worker = await StartAsync(sink);
        await using TcpLinesSender sender = new();
        await sender.ConnectAsync(await EndpointAsync(worker));
        foreach (ArchiveMessage message in rest)
        {
            (await sender.SendAsync(message)).ShouldBeTrue();
        }

        sender.EndSending();
        await sender.Ended;

        sender.Errors.ShouldBeEmpty();
        sender.Unanswered.ShouldBeEmpty();
        (await worker.StopAsync()).ShouldBe(0);
        HashSet<string> expected = [.. acknowledged.Concat(rest).Select(message => message.Key), .. storedBefore.Keys];
        (await sink.ReadAllAsync()).Keys.ShouldBe(expected, ignoreOrder: true);
    }

    private static Task<RunningWorker> StartAsync(DirectoryUnderTest sink) => RunningWorker.StartAsync(
        ["--Routes:archive:Source=TcpLines", "--Sources:TcpLines:Endpoint=127.0.0.1:0", "--Sources:TcpLines:Acknowledge=true", .. sink.Arguments]);

    private static async Task<IPEndPoint> EndpointAsync(RunningWorker worker)
    {
        CapturedLine line = await worker.Process.WaitForLineAsync("accepting connections on 127");
        return IPEndPoint.Parse(Regex.Match(line.Text, @"127\.0\.0\.1:\d+", RegexOptions.None, TimeSpan.FromSeconds(10)).Value);
    }
}
