using System.Net;
using System.Net.Sockets;
using System.Text.RegularExpressions;
using Integration.Tests.Processes;
using Tests.Shared.Files;

namespace Integration.Tests.Worker;

/// <summary>The folder's disk hangs while the worker is stopped. A FIFO under each object's name hangs the file call that compares it.</summary>
public sealed class HungDiskTests
{
    private const int Messages = 5;

    [Fact]
    public async Task Terminate_DiskHangs_DatagramsAndLinesAreInTheDeadLetters()
    {
        await using DirectoryUnderTest sink = new();
        ArchiveMessage[] datagrams = ArchiveMessage.CreateMany("datagram", Messages);
        ArchiveMessage[] lines = ArchiveMessage.CreateMany("line", Messages);
        HangingFile[] files = [.. datagrams.Concat(lines).Select(message => new HangingFile(sink.PathOf(message.Key)))];
        await using RunningWorker worker = await RunningWorker.StartAsync(
        [
            "--Routes:archive:Source=Udp,TcpLines", "--Sources:Udp:Endpoint=127.0.0.1:0", "--Sources:TcpLines:Endpoint=127.0.0.1:0",
            "--Hosting:DrainTimeout=1s", .. sink.Arguments,
        ]);
        using UdpClient sender = new();
        sender.Connect(await EndpointAsync(worker, "receiving datagrams on 127"));
        foreach (ArchiveMessage message in datagrams)
        {
            await sender.SendAsync(message.Body);
        }

        using TcpClient connection = new();
        await connection.ConnectAsync(await EndpointAsync(worker, "accepting connections on 127"));
        foreach (ArchiveMessage message in lines)
        {
            await connection.GetStream().WriteAsync((byte[])[.. message.Body, (byte)'\n']);
        }

        await Eventually.BecomesTrueAsync(
            async () => (await worker.HealthAsync("live")).Route["inFlight"]!.GetValue<int>() == files.Length, "every message is in flight");

        (await worker.StopAsync(TimeSpan.FromSeconds(60))).ShouldBe(1);

        DeadLetterFolder.ShouldHoldExactly(
            Path.Combine(worker.Process.WorkingDirectory, "dead-letters"),
            datagrams.Concat(lines).Select(message => new BadMessage("unprocessed-at-stop", message.Body)));
        worker.Process.Output.Describe().ShouldContain("[3001]");
        Array.ForEach(files, file => file.Dispose());
    }

    [Fact]
    public async Task Terminate_TwiceConcurrently_EndsTheDrainNow()
    {
        await using DirectoryUnderTest sink = new();
        ArchiveMessage message = ArchiveMessage.Create("stuck");
        using HangingFile file = new(sink.PathOf(message.Key));
        await using RunningWorker worker = await RunningWorker.StartAsync(
            ["--Routes:archive:Source=Udp", "--Sources:Udp:Endpoint=127.0.0.1:0", "--Hosting:DrainTimeout=5m", .. sink.Arguments]);
        using UdpClient sender = new();
        sender.Connect(await EndpointAsync(worker, "receiving datagrams on 127"));
        await sender.SendAsync(message.Body);
        await Eventually.BecomesTrueAsync(async () => (await worker.HealthAsync("live")).Route["inFlight"]!.GetValue<int>() == 1, "the message is in flight");

        // Two different signals: the kernel keeps only one pending signal of a kind.
        await worker.Process.SignalAsync(ProcessSignal.Terminate);
        await worker.Process.SignalAsync(ProcessSignal.Interrupt);

        (await worker.Process.WaitForExitAsync(TimeSpan.FromSeconds(60))).ShouldBe(1);
        DeadLetterFolder.ShouldHoldExactly(
            Path.Combine(worker.Process.WorkingDirectory, "dead-letters"), [new BadMessage("unprocessed-at-stop", message.Body)]);
    }

    private static async Task<IPEndPoint> EndpointAsync(RunningWorker worker, string line)
    {
        CapturedLine found = await worker.Process.WaitForLineAsync(line);
        return IPEndPoint.Parse(Regex.Match(found.Text, @"127\.0\.0\.1:\d+", RegexOptions.None, TimeSpan.FromSeconds(10)).Value);
    }
}
