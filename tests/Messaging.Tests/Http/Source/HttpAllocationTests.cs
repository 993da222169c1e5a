using System.Buffers;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Messaging.Tests.Sources;
using Quayside.Pipeline.Buffers;
using Tests.Shared;

namespace Messaging.Tests.Http.Source;

[Collection(AllocationCollection.Name)]
public sealed class HttpAllocationTests
{
    private const int Messages = 2_000;

#if DEBUG
    // In debug builds every state machine is an object, one per call.
    private const int BytesPerRequest = 2_000;
    private const int BytesPerLine = 1_000;
#else
    // Measured: 380 when settled synchronously, 720 when the request waits, including Kestrel and routing. The limit is below
    // the body's length, so that an unpooled body fails the test.
    private const int BytesPerRequest = 1_000;

    // Measured: 2 and 9, the request's own objects divided by its lines.
    private const int BytesPerLine = 24;
#endif

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Post_Single_AllocatesLittle(bool onAnotherThread)
    {
        byte[] request = [.. "POST /messages HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1024\r\n\r\n"u8, .. new byte[1_024]];
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(intake: new CompletingIntake(onAnotherThread), buffers: Buffers());
        using Socket socket = await ConnectAsync(host);
        byte[] answer = new byte[4_096];

        double bytes = BytesPerMessage(() =>
        {
            for (int i = 0; i < Messages; i++)
            {
                Exchange(socket, request, answer);
            }
        });

        Encoding.ASCII.GetString(answer).ShouldStartWith("HTTP/1.1 200");
        TestContext.Current.TestOutputHelper?.WriteLine($"{bytes:F0} B per request");
        bytes.ShouldBeLessThan(BytesPerRequest);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Post_Ndjson_AllocatesAlmostNothingPerLine(bool onAnotherThread)
    {
        byte[] lines = [.. Enumerable.Range(0, Messages).SelectMany(i => Encoding.ASCII.GetBytes($"{{\"n\":{i}}}\n"))];
        byte[] request = [
            .. Encoding.ASCII.GetBytes($"POST /messages HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\nContent-Length: {lines.Length}\r\n\r\n"),
            .. lines];
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(intake: new CompletingIntake(onAnotherThread), buffers: Buffers());
        using Socket socket = await ConnectAsync(host);
        byte[] answer = new byte[Messages * 200];

        double bytes = BytesPerMessage(() => Exchange(socket, request, answer));

        Encoding.ASCII.GetString(answer).ShouldContain($"\"stored\":{Messages},");
        TestContext.Current.TestOutputHelper?.WriteLine($"{bytes:F1} B per line");
        bytes.ShouldBeLessThan(BytesPerLine);
    }

    private static BufferPool Buffers() => new(ArrayPool<byte>.Create(maxArrayLength: 1 << 20, maxArraysPerBucket: 128));

    private static async Task<Socket> ConnectAsync(HttpSourceHost host)
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        await socket.ConnectAsync(IPAddress.Loopback, host.Port);
        return socket;
    }

    private static double BytesPerMessage(Action round) => (double)MinBytes.OfProcess(round) / Messages;

    /// <summary>Sends a request and reads the whole answer, without allocating.</summary>
    private static void Exchange(Socket socket, byte[] request, byte[] answer)
    {
        socket.Send(request);
        int length = 0;
        int expected = int.MaxValue;
        while (length < expected)
        {
            int read = socket.Receive(answer.AsSpan(length));
            if (read == 0)
            {
                throw new InvalidOperationException("The connection ended.");
            }

            length += read;
            int headersEnd = answer.AsSpan(0, length).IndexOf("\r\n\r\n"u8);
            if (headersEnd >= 0 && expected == int.MaxValue)
            {
                ReadOnlySpan<byte> rest = answer.AsSpan(answer.AsSpan(0, headersEnd).IndexOf("Content-Length: "u8) + 16);
                System.Buffers.Text.Utf8Parser.TryParse(rest, out int body, out _);
                expected = headersEnd + 4 + body;
            }
        }
    }
}
