using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.RegularExpressions;
using Integration.Tests.Processes;

namespace Integration.Tests.Worker;

/// <summary>A daemon with the TCP lines source and a folder.</summary>
public sealed class TcpLinesTests
{
    [Fact]
    public async Task Lines_OfASender_AreStoredAndAcknowledgedEach()
    {
        const int Count = 700;
        await using DirectoryUnderTest sink = new();
        await using RunningWorker worker = await RunningWorker.StartAsync(
            ["--Routes:archive:Source=TcpLines", "--Sources:TcpLines:Endpoint=127.0.0.1:0", "--Sources:TcpLines:Acknowledge=true", .. sink.Arguments]);
        using TcpClient client = new();
        await client.ConnectAsync(await EndpointAsync(worker));
        using StreamReader answers = new(client.GetStream(), Encoding.ASCII);

        IEnumerable<string> lines = ArchiveMessage.CreateMany("line", Count).Select(message => message.Text + "\n");
        await client.GetStream().WriteAsync(Encoding.UTF8.GetBytes(string.Concat(lines)));

        HashSet<string?> seen = [];
        while (seen.Count < Count)
        {
            seen.Add(await answers.ReadLineAsync().WaitAsync(TimeSpan.FromSeconds(60))).ShouldBeTrue();
        }

        seen.ShouldBe(Enumerable.Range(1, Count).Select(number => $"ok {number}"), ignoreOrder: true);
        (await sink.ReadAllAsync()).Count.ShouldBe(Count);
        (await worker.StopAsync()).ShouldBe(0);
    }

    private static async Task<IPEndPoint> EndpointAsync(RunningWorker worker)
    {
        CapturedLine line = await worker.Process.WaitForLineAsync("accepting connections on 127");
        return IPEndPoint.Parse(Regex.Match(line.Text, @"127\.0\.0\.1:\d+", RegexOptions.None, TimeSpan.FromSeconds(10)).Value);
    }
}
