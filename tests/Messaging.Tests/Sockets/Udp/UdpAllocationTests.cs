using System.Net;
using System.Net.Sockets;
using Messaging.Tests.Sources;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Sockets.Udp;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Buffers;
using Tests.Shared;

namespace Messaging.Tests.Sockets.Udp;

[Collection(AllocationCollection.Name)]
public sealed class UdpAllocationTests
{
    private const int Datagrams = 5_000;

    // Datagrams in flight; far fewer than the kernel's buffer holds.
    private const int Window = 50;

    [Theory]
    [InlineData(false, nameof(UdpChecksum.Verify))]
    [InlineData(true, nameof(UdpChecksum.None))]
    public async Task Receive_Warm_AllocatesNothing(bool isPortable, string checksum)
    {
        UdpSourceOptions options = new()
        {
            Endpoint = "127.0.0.1:0",
            Checksum = Enum.Parse<UdpChecksum>(checksum),
        };
        await using ServiceProvider services = new ServiceCollection().BuildServiceProvider();
        await using UdpMessageSource source = new(
            new SourceServices { Route = "orders", Services = services, DeadLetters = new MemoryDeadLetters(), Concurrency = 64 },
            options,
            new BufferPool())
        { IsPortable = isPortable || !OperatingSystem.IsLinux() };
        await source.CheckAsync(CancellationToken.None);
        CompletingIntake intake = new();
        using CancellationTokenSource stop = new();
        Task running = Task.Run(() => source.ReceiveAsync(intake, stop.Token));
        using Socket sender = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        sender.Connect((IPEndPoint)source.Endpoint!);
        byte[] datagram = Fletcher32Tests.WithTrailer(new byte[508]);
        Run(sender, datagram, intake);

        // Of the whole process, in which a busy machine compiles hot methods and creates threads for several rounds.
        long min = MinBytes.OfProcess(() => Run(sender, datagram, intake), rounds: 64, enough: Datagrams);

        TestContext.Current.TestOutputHelper?.WriteLine($"{(double)min / Datagrams:F3} B per datagram");
        min.ShouldBeLessThan(Datagrams);
        await stop.CancelAsync();
        await running;
    }

    private static void Run(Socket sender, byte[] datagram, CompletingIntake intake)
    {
        for (int sent = 0; sent < Datagrams; sent += Window)
        {
            int target = intake.Completed + Window;
            for (int i = 0; i < Window; i++)
            {
                sender.Send(datagram);
            }

            SpinWait wait = default;
            while (intake.Completed < target)
            {
                wait.SpinOnce(sleep1Threshold: -1);
            }
        }
    }
}
