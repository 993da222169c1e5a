using System.Net;
using System.Net.Sockets;
using Quayside.Messaging.Telemetry;

namespace Messaging.Tests.Telemetry;

public sealed class ConnectionFaultTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Describe_HttpsToAnAddressWithoutTls_SaysThatItAnswers()
    {
        using TcpListener plain = new(IPAddress.Loopback, 0);
        plain.Start();
        Task answering = AnswerAsync(plain, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"u8.ToArray());
        using HttpClient client = new(new SocketsHttpHandler { UseProxy = false });

        HttpRequestException failure = await Should.ThrowAsync<HttpRequestException>(() => client.GetAsync(new Uri($"https://{plain.LocalEndpoint}/"), Token));

        ConnectionFault.Describe(failure).ShouldBe("The address answers, but without TLS: http instead of https may be right there");
        await answering;
    }

    [Fact]
    public async Task Describe_HttpToAnAddressWithTls_SaysThatItAnswers()
    {
        using TcpListener secure = new(IPAddress.Loopback, 0);
        secure.Start();

        // A TLS alert: a record of the version 3.3 with "unexpected message".
        Task answering = AnswerAsync(secure, [0x15, 3, 3, 0, 2, 2, 10]);
        using HttpClient client = new(new SocketsHttpHandler { UseProxy = false });

        HttpRequestException failure = await Should.ThrowAsync<HttpRequestException>(() => client.GetAsync(new Uri($"http://{secure.LocalEndpoint}/"), Token));

        ConnectionFault.Describe(failure).ShouldBe("The address answers, but not with HTTP: https instead of http may be right there");
        await answering;
    }

    private static async Task AnswerAsync(TcpListener listener, byte[] answer)
    {
        using Socket client = await listener.AcceptSocketAsync(Token);
        await client.ReceiveAsync(new byte[4_096], Token);
        await client.SendAsync(answer, Token);
        client.Shutdown(SocketShutdown.Send);
        while (await client.ReceiveAsync(new byte[4_096], Token) > 0)
        {
        }
    }
}
