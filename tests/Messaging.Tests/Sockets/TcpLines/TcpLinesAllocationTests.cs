using System.Net;
using System.Net.Sockets;
using System.Text;
using Messaging.Tests.Sources;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Sockets.TcpLines;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Buffers;
using Tests.Shared;

namespace Messaging.Tests.Sockets.TcpLines;

[Collection(AllocationCollection.Name)]
public sealed class TcpLinesAllocationTests
{
    private const int LinesPerCall = 500;
    private const int Calls = 40;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Receive_Warm_AllocatesNothingALine(bool acknowledge)
    {
        TcpLinesSourceOptions options = new() { Endpoint = "127.0.0.1:0", Acknowledge = acknowledge };
        await using ServiceProvider services = new ServiceCollection().BuildServiceProvider();
        await using TcpLinesMessageSource source = new(
            new SourceServices { Route = "orders", Services = services, DeadLetters = new MemoryDeadLetters(), Concurrency = 64 },
            options,
            new BufferPool());
        await source.CheckAsync(CancellationToken.None);
        CompletingIntake intake = new();
        using CancellationTokenSource stop = new();
        Task running = Task.Run(() => source.ReceiveAsync(intake, stop.Token));
        using Socket sender = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        sender.Connect((IPEndPoint)source.Endpoint!);
        byte[] lines = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat($"{new string('x', 299)}\n", LinesPerCall)));
        byte[] answers = new byte[64 << 10];
        Run(sender, lines, answers, intake);

        long min = MinBytes.OfProcess(() => Run(sender, lines, answers, intake));

        TestContext.Current.TestOutputHelper?.WriteLine($"{(double)min / (LinesPerCall * Calls):F3} B per line");
        ((double)min / (LinesPerCall * Calls)).ShouldBeLessThan(1);
        sender.Dispose();
        await stop.CancelAsync();
        await running;
    }

    private static void Run(Socket sender, byte[] lines, byte[] answers, CompletingIntake intake)
    {
        for (int call = 0; call < Calls; call++)
        {
            int target = intake.Completed + LinesPerCall;
            for (int sent = 0; sent < lines.Length;)
            {
                sent += sender.Send(lines.AsSpan(sent));
            }

            SpinWait wait = default;
            while (intake.Completed < target)
            {
                wait.SpinOnce(sleep1Threshold: -1);
            }

            while (sender.Available > 0)
            {
                sender.Receive(answers);
            }
        }
    }
}
