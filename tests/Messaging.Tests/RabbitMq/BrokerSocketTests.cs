using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Quayside.Messaging.RabbitMq;

namespace Messaging.Tests.RabbitMq;

/// <summary>What answers at the broker's address, byte by byte.</summary>
public sealed class BrokerSocketTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Connect_BrokerClosesWithinAFrame_FailsAtOnceAndDoesNotSpin()
    {
        // The header of a method frame of 500 bytes, and the first of them.
        long start = Stopwatch.GetTimestamp();

        RabbitMqFault fault = await ConnectAsync("amqp", [1, 0, 0, 0, 0, 1, 0xF4, 0, 10, 0, 10]);

        Stopwatch.GetElapsedTime(start).ShouldBeLessThan(TimeSpan.FromSeconds(4));
        fault.Remedy.ShouldBeNull();
    }

    [Fact]
    public async Task Connect_PlainToTls_NamesTheScheme() =>
        (await ConnectAsync("amqp", [0x15, 3, 3, 0, 2, 2, 10])).ToString()
            .ShouldBe("The address answers with TLS; set amqps:// in Sources:RabbitMq:Uri, or the port without TLS (usually 5672).");

    [Fact]
    public async Task Connect_TlsToPlain_NamesTheScheme() =>
        (await ConnectAsync("amqps", "AMQP\0\0\t\u0001"u8.ToArray())).ToString()
            .ShouldBe("The address answers without TLS; set amqp:// in Sources:RabbitMq:Uri, or the port for TLS (usually 5671).");

    private static async Task<RabbitMqFault> ConnectAsync(string scheme, byte[] answer)
    {
        using TcpListener listener = new(IPAddress.Loopback, 0);
        listener.Start();
        Task answering = AnswerAsync(listener, answer);
        RabbitMqSourceOptions options = new() { Uri = $"{scheme}://{listener.LocalEndpoint}", Queue = "orders" };

        Exception failure = await Should.ThrowAsync<Exception>(() => options.ConnectAsync("testing", Token));

        await answering;
        RabbitMqFault.IsOne(failure).ShouldBeTrue();
        return RabbitMqFault.Of(failure);
    }

    private static async Task AnswerAsync(TcpListener listener, byte[] answer)
    {
        using Socket client = await listener.AcceptSocketAsync(Token);
        await client.ReceiveAsync(new byte[4_096], Token);
        await client.SendAsync(answer, Token);
        client.Shutdown(SocketShutdown.Send);
        try
        {
            while (await client.ReceiveAsync(new byte[4_096], Token) > 0)
            {
            }
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.ConnectionReset)
        {
            // The client closed before it had read everything.
        }
    }
}
