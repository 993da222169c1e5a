using System.IO.Pipelines;
using System.Net;
using System.Text;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Http;
using Quayside.Messaging.Http.Web;

namespace Worker.Tests.Http.Web;

/// <summary>HTTP connections with and without a header of the PROXY protocol.</summary>
public sealed class ProxyGateTests : IDisposable
{
    private const string Signature = "\r\n\r\n\0\r\nQUIT\n";
    private const string Request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    private readonly RecordingLog _log = new();
    private readonly HttpConnections _connections;

    public ProxyGateTests() => _connections = new HttpConnections(new WebOptions(), new ManualTimeProvider(), _log.CreateLogger<HttpConnections>());

    public static TheoryData<string, string> Headers => new()
    {
        { "PROXY TCP4 192.0.2.1 192.0.2.2 51000 8080\r\n", "192.0.2.1:51000" },
        { "PROXY TCP6 2001:db8::1 2001:db8::2 51000 8080\r\n", "[2001:db8::1]:51000" },
        { "PROXY UNKNOWN\r\n", "192.0.2.9:1" },
        { $"{Signature}\u0021\u0011\0\u000c\n\0\0\u0001abcd\u00c7\u0038\u0023\u007a", "10.0.0.1:51000" },
        { $"{Signature}\u0021\u0011\0\u0090\n\0\0\u0001abcd\u00c7\u0038\u0023\u007a{new string('t', 132)}", "10.0.0.1:51000" },
        { $"{Signature}\u0020\0\0\0", "192.0.2.9:1" },
    };

    public void Dispose() => _connections.Dispose();

    [Theory]
    [MemberData(nameof(Headers))]
    public async Task Serve_HeaderSplitAtEveryByte_TheRequestHasTheStatedAddress(string header, string caller)
    {
        byte[] sent = Encoding.Latin1.GetBytes(header + Request);
        for (int split = 0; split <= header.Length + 1; split++)
        {
            (string? request, ConnectionContext transport) = await ServeAsync(required: true, IPAddress.Parse("192.0.2.9"), sent[..split], sent[split..]);

            request.ShouldBe(Request, $"split at {split}");
            transport.RemoteEndPoint!.ToString().ShouldBe(caller);
        }
    }

    [Theory]
    [InlineData(Request)]
    [InlineData("PROXY TCP4 1.2.3 192.0.2.2 51000 8080\r\n" + Request)]
    [InlineData("PROXY TCP4 192.0.2.1")]
    public async Task Serve_NoHeaderFromAnotherMachine_IsClosed(string text)
    {
        (string? request, _) = await ServeAsync(required: true, IPAddress.Parse("192.0.2.9"), Encoding.Latin1.GetBytes(text));

        request.ShouldBeNull();
        _log.Entries.Where(entry => entry.Id.Id == 1216).ShouldHaveSingleItem().Text.ShouldContain("no-proxy-header. It began without the PROXY protocol header that Hosting:ProxyProtocol requires.");
    }

    [Fact]
    public async Task Serve_NothingFromAnotherMachine_IsAHealthCheck()
    {
        (string? request, _) = await ServeAsync(required: true, IPAddress.Parse("192.0.2.9"), []);

        request.ShouldBeNull();
        _log.Entries.ShouldBeEmpty();
    }

    [Fact]
    public async Task Serve_NoHeaderFromThisMachine_IsServed()
    {
        (string? request, ConnectionContext transport) = await ServeAsync(required: true, IPAddress.Loopback, Encoding.Latin1.GetBytes(Request));

        request.ShouldBe(Request);
        transport.RemoteEndPoint!.ToString().ShouldBe("127.0.0.1:1");
    }

    [Theory]
    [InlineData("PROXY TCP4 1.2.3 192.0.2.2 51000 8080\r\n" + Request)]
    [InlineData("PROXY TCP4 192.0.2.1")]
    public async Task Serve_DamagedHeaderFromThisMachine_IsClosed(string text)
    {
        (string? request, _) = await ServeAsync(required: true, IPAddress.Loopback, Encoding.Latin1.GetBytes(text));

        request.ShouldBeNull();
    }

    [Theory]
    [MemberData(nameof(Headers))]
    public async Task Serve_HeaderThatIsNotRequired_IsClosed(string header, string caller)
    {
        (string? request, ConnectionContext transport) = await ServeAsync(required: false, IPAddress.Loopback, Encoding.Latin1.GetBytes(header + Request));

        request.ShouldBeNull();
        caller.ShouldNotBe(transport.RemoteEndPoint!.ToString());
        _log.Entries.Where(entry => entry.Id.Id == 1216).ShouldHaveSingleItem().Text.ShouldContain("proxy-protocol. It began with a PROXY protocol header. Set Hosting:ProxyProtocol=true");
    }

    [Fact]
    public async Task Serve_RequestByteByByte_IsUnchanged()
    {
        (string? request, _) = await ServeAsync(required: false, IPAddress.Loopback, [.. Request.Select(character => new[] { (byte)character })]);

        request.ShouldBe(Request);
    }

    private async Task<(string? Request, ConnectionContext Transport)> ServeAsync(bool required, IPAddress peer, params byte[][] pieces)
    {
        Pipe input = new();
        DefaultConnectionContext transport = new("test", new DuplexPipe(input.Reader, new Pipe().Writer), new DuplexPipe(new Pipe().Reader, new Pipe().Writer)) { RemoteEndPoint = new IPEndPoint(peer, 1) };
        string? request = null;
        Task serving = new ProxyGate(new WebOptions { ProxyProtocol = required }, _connections).ServeAsync(transport, async connection =>
        {
            using StreamReader reader = new(connection.Transport.Input.AsStream(), Encoding.Latin1);
            request = await reader.ReadToEndAsync();
        });
        foreach (byte[] piece in pieces)
        {
            await input.Writer.WriteAsync(piece);
            await Task.Yield();
        }

        await input.Writer.CompleteAsync();
        await serving.WaitAsync(TimeSpan.FromSeconds(30));
        return (request, transport);
    }

    private sealed class DuplexPipe(PipeReader input, PipeWriter output) : IDuplexPipe
    {
        public PipeReader Input => input;

        public PipeWriter Output => output;
    }
}
