using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Text.RegularExpressions;
using Integration.Tests.Processes;

namespace Integration.Tests.Worker;

/// <summary>The daemon with the UDP source and a folder.</summary>
public sealed class UdpTests
{
    // Fewer than the receive buffer holds, including the kernel's own structures.
    private const int Messages = 400;

    [Fact]
    public async Task Terminate_DatagramsReceived_AreAllStored()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs POSIX signals");
        await using DirectoryUnderTest sink = new();
        await using RunningWorker worker = await StartAsync(sink, "--Hosting:DrainTimeout=2m");
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("datagram", Messages);
        using UdpClient sender = new();
        sender.Connect(await EndpointAsync(worker));
        foreach (ArchiveMessage message in messages)
        {
            await sender.SendAsync(message.Body);
        }

        // Immediately: most datagrams are still in the kernel's buffer or in flight.
        (await worker.StopAsync(TimeSpan.FromSeconds(150))).ShouldBe(0);

        await sink.ShouldHoldExactlyAsync(messages);
    }

    [Theory]
    [InlineData(ProcessSignal.Hangup, "SIGHUP")]
    [InlineData(ProcessSignal.Quit, "SIGQUIT")]
    [InlineData(ProcessSignal.User1, "SIGUSR1")]
    [InlineData(ProcessSignal.User2, "SIGUSR2")]
    [InlineData(ProcessSignal.Alarm, "SIGALRM")]
    [InlineData(ProcessSignal.CpuLimit, "SIGXCPU")]
    [InlineData(ProcessSignal.PowerFailure, "SIGPWR")]
    internal async Task Signal_ThatEndsAProcessByDefault_DrainsAsTerminateDoes(ProcessSignal signal, string name)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs Linux's signals");
        await using DirectoryUnderTest sink = new();
        await using RunningWorker worker = await StartAsync(sink, "--Hosting:DrainTimeout=2m");
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("datagram", Messages);
        using UdpClient sender = new();
        sender.Connect(await EndpointAsync(worker));
        foreach (ArchiveMessage message in messages)
        {
            await sender.SendAsync(message.Body);
        }

        await worker.Process.SignalAsync(signal);

        (await worker.Process.WaitForExitAsync(TimeSpan.FromSeconds(150))).ShouldBe(0);
        await worker.Process.WaitForLineAsync($"{name} received: stopping");
        await sink.ShouldHoldExactlyAsync(messages);
    }

    [Fact]
    public async Task Hangup_UnderNohup_IsIgnored()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs nohup");
        await using DirectoryUnderTest sink = new();
        await using RunningWorker worker = await RunningWorker.StartAsync(["--Routes:archive:Source=Http", .. sink.Arguments], launcher: ["nohup"]);

        await worker.Process.SignalAsync(ProcessSignal.Hangup);

        (await worker.StopAsync()).ShouldBe(0);
        worker.Process.Output.Snapshot().ShouldNotContain(line => line.Text.Contains("SIGHUP", StringComparison.Ordinal));
    }

    // The checksum as documented, without the worker's code.
    private static byte[] WithFletcher32(byte[] message)
    {
        uint sum1 = 0;
        uint sum2 = 0;
        for (int i = 0; i < message.Length; i += 2)
        {
            sum1 = (sum1 + message[i] + (i + 1 < message.Length ? 256u * message[i + 1] : 0)) % 65_535;
            sum2 = (sum2 + sum1) % 65_535;
        }

        byte[] datagram = [.. message, 0, 0, 0, 0];
        BinaryPrimitives.WriteUInt32BigEndian(datagram.AsSpan(message.Length), (sum2 << 16) | sum1);
        return datagram;
    }

    private static Task<RunningWorker> StartAsync(DirectoryUnderTest sink, params string[] arguments) => RunningWorker.StartAsync(
        ["--Routes:archive:Source=Udp", "--Sources:Udp:Endpoint=127.0.0.1:0", .. arguments, .. sink.Arguments]);

    private static async Task<IPEndPoint> EndpointAsync(RunningWorker worker)
    {
        CapturedLine line = await worker.Process.WaitForLineAsync("receiving datagrams on 127");
        return IPEndPoint.Parse(Regex.Match(line.Text, @"127\.0\.0\.1:\d+", RegexOptions.None, TimeSpan.FromSeconds(10)).Value);
    }
}
