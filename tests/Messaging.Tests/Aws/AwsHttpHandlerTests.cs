
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Messaging.Tests.Aws.S3.Direct;
using Messaging.Tests.Aws.Sqs.Wire;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.Sqs.Wire;

namespace Messaging.Tests.Aws;

/// <summary>Proxies; CredentialTests start workers with one in the environment.</summary>
public sealed class AwsHttpHandlerTests
{
    private const string Host = "sqs.eu-west-1.amazonaws.com";

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(null, true)]
    [InlineData("https://store.example", true)]
    [InlineData("http://10.0.0.1:9000", true)]
    [InlineData("http://127.0.0.1:9000", false)]
    [InlineData("http://[::1]:9000", false)]
    [InlineData("http://localhost:9000", false)]
    public void Create_ForAServer_UsesTheEnvironmentsProxyUnlessItIsThisMachine(string? custom, bool usesProxy)
    {
        using SocketsHttpHandler handler = AwsHttpHandler.Create(custom: custom is null ? null : new Uri(custom));

        handler.UseProxy.ShouldBe(usesProxy);
        handler.Proxy.ShouldBeOfType<Quayside.Messaging.Objects.EnvironmentProxy>();
        handler.AllowAutoRedirect.ShouldBeFalse();
    }

    [Fact]
    public async Task Call_ThroughAProxy_GoesThroughATunnelThatSeesNoSignature()
    {
        using TcpListener proxy = new(IPAddress.Loopback, 0);
        proxy.Start();
        Task<(string Connect, string Request)> serving = ServeAsync(proxy);
        using WireClient wire = Open(proxy);

        string url = await wire.Client.GetQueueUrlAsync(SqsQueueReference.Parse("orders")!, Token);

        (string connect, string request) = await serving;
        url.ShouldBe(WireClient.Url);
        connect.ShouldStartWith($"CONNECT {Host}:443 HTTP/1.1\r\n");
        connect.ShouldNotContain("Authorization");
        connect.ShouldNotContain("canary");
        request.ShouldStartWith("POST / HTTP/1.1\r\n");
        request.ShouldContain($"Host: {Host}\r\n");
        request.ShouldContain("AWS4-HMAC-SHA256 Credential=AKIDTEST/");
    }

    [Fact]
    public async Task Call_TheProxyRefuses_IsAConnectionErrorThatNamesIt()
    {
        using TcpListener proxy = new(IPAddress.Loopback, 0);
        proxy.Start();
        Task refusing = RefuseAsync(proxy);
        using WireClient wire = Open(proxy);

        AwsServiceException error = await wire.FailAsync(async client => await client.GetQueueUrlAsync(SqsQueueReference.Parse("orders")!, Token));

        (error.Kind, error.Code).ShouldBe((AwsErrorKind.Transient, "ConnectionError"));
        error.Message.ShouldContain("proxy");
        error.Message.ShouldContain("407");
        await refusing;
    }

    private static WireClient Open(TcpListener proxy)
    {
        SocketsHttpHandler handler = AwsHttpHandler.Create();
        handler.ConnectTimeout = Limit;
        handler.Proxy = new WebProxy(new Uri($"http://{proxy.LocalEndpoint}"));
        handler.SslOptions.RemoteCertificateValidationCallback = (_, _, _, _) => true;
        return new WireClient(new Uri($"https://{Host}/"), handler: handler);
    }

    private static async Task<(string Connect, string Request)> ServeAsync(TcpListener proxy)
    {
        using X509Certificate2 certificate = DirectTlsTests.CertificateFor(Host);
        using TcpClient connection = await proxy.AcceptTcpClientAsync(Token);
        string connect = await ReadHeadAsync(connection.GetStream());
        await connection.GetStream().WriteAsync("HTTP/1.1 200 Connection established\r\n\r\n"u8.ToArray(), Token);
        await using SslStream stream = new(connection.GetStream());
        await stream.AuthenticateAsServerAsync(new SslServerAuthenticationOptions { ServerCertificate = certificate }, Token);
        string request = await ReadHeadAsync(stream);
        string answer = $"{{\"QueueUrl\":\"{WireClient.Url}\"}}";
        await stream.WriteAsync(Encoding.ASCII.GetBytes($"HTTP/1.1 200 OK\r\nContent-Length: {answer.Length}\r\n\r\n{answer}"), Token);
        return (connect, request);
    }

    private static async Task RefuseAsync(TcpListener proxy)
    {
        using TcpClient connection = await proxy.AcceptTcpClientAsync(Token);
        await ReadHeadAsync(connection.GetStream());
        await connection.GetStream().WriteAsync("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"u8.ToArray(), Token);
    }

    // Up to the end of the headers, and what else has arrived.
    private static async Task<string> ReadHeadAsync(Stream stream)
    {
        byte[] buffer = new byte[16 * 1_024];
        int filled = 0;
        while (buffer.AsSpan(0, filled).IndexOf("\r\n\r\n"u8) < 0)
        {
            int read = await stream.ReadAsync(buffer.AsMemory(filled), Token);
            read.ShouldBeGreaterThan(0);
            filled += read;
        }

        return Encoding.ASCII.GetString(buffer, 0, filled);
    }
}
