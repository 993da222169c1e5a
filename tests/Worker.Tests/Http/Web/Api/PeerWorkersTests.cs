using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Quayside.Messaging.Http;

namespace Worker.Tests.Http.Web.Api;

/// <summary>Several workers in one view.</summary>
public sealed class PeerWorkersTests
{
    private const string Path = "/api/v1/peers";

    [Fact]
    public async Task Peers_NotSet_AreNone()
    {
        await using ApiHost host = await ApiHost.StartAsync();

        (await host.GetAsync(Path)).GetProperty("workers").GetArrayLength().ShouldBe(0);
    }

    [Fact]
    public async Task Peers_AreListedWithThisWorker_AndWhoFailsOrDoesNotAnswerSaysSo()
    {
        using Peer redirecting = new("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/secret\r\nContent-Length: 0\r\n\r\n");
        using Peer other = new("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
        using Peer large = new($"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {2 << 20}\r\n\r\n");
        await using ApiHost peer = await ApiHost.StartAsync("Hosting:AllowedHosts=worker.example");
        await peer.SendAsync(HttpMethod.Post, "/api/v1/routes/pause", """{"route":"archive"}""");
        await using ApiHost host = await ApiHost.StartAsync($"Hosting:Peers={peer.Client.BaseAddress!.Authority},127.0.0.1:1,{redirecting.Authority},{other.Authority},{large.Authority},no-such-host.invalid:8080", $"Hosting:PeerToken={ApiHost.Token}");

        JsonElement state = await host.GetAsync(Path);

        JsonElement[] workers = [.. state.GetProperty("workers").EnumerateArray()];
        workers.Select(worker => worker.GetProperty("error").GetString()?.Split(" (")[0]).ShouldBe(
            [null, null, "no answer", "it answers 302: is a worker running there?", "its answer is not a worker's state", "no answer", "its name cannot be resolved"]);
        workers[0].GetProperty("address").GetString().ShouldBe("this worker");
        workers[0].GetProperty("problems").GetArrayLength().ShouldBe(0);
        workers[1].GetProperty("ready").GetBoolean().ShouldBeTrue();
        workers[1].GetProperty("problems")[0].GetString().ShouldBe("route archive is paused");
        state.GetProperty("notAnswering").GetInt32().ShouldBe(5);
        redirecting.Requests.ShouldHaveSingleItem().ShouldContain("GET /api/v1/stats");
        redirecting.Requests.Single().ShouldContain($"Bearer {ApiHost.Token}");
    }

    [Fact]
    public async Task Peers_PeerTokenNotSet_SendsNoToken()
    {
        using Peer peer = new("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
        await using ApiHost host = await ApiHost.StartAsync($"Hosting:Peers={peer.Authority}");

        JsonElement state = await host.GetAsync(Path);

        state.GetProperty("workers")[1].GetProperty("error").GetString().ShouldNotBeNull().ShouldContain("Hosting:PeerToken must be its Hosting:Token");
        peer.Requests.ShouldHaveSingleItem().ShouldNotContain("Authorization", Case.Insensitive);
    }

    [Fact]
    public async Task Peers_ManyAsk_ReadEachWorkerOnce()
    {
        using Peer peer = new("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n");
        await using ApiHost host = await ApiHost.StartAsync($"Hosting:Peers={peer.Authority}");

        await Task.WhenAll(Enumerable.Range(0, 10).Select(_ => host.GetAsync(Path)));

        peer.Requests.Count.ShouldBeLessThan(10);
    }

    [Fact]
    public async Task Peers_BeyondLoopback_NeedTheToken()
    {
        await using ApiHost host = await ApiHost.StartAsync("Hosting:AllowedHosts=worker.example");

        (await host.SendAsync(HttpMethod.Get, Path, token: string.Empty)).Status.ShouldBe(401);
        (await host.SendAsync(HttpMethod.Get, Path)).Status.ShouldBe(200);
    }

    [Theory]
    [InlineData("10.0.0.7:8080", true)]
    [InlineData("workers:8080", true)]
    [InlineData("[::1]:8080", true)]
    [InlineData("workers", false)]
    [InlineData("[::1]", false)]
    [InlineData("http://workers:8080", false)]
    [InlineData("workers:8080/api", false)]
    [InlineData("workers:8080/", false)]
    [InlineData("user@workers:8080", false)]
    [InlineData("workers:8080?x=1", false)]
    [InlineData("workers:8080#x", false)]
    [InlineData("", false)]
    public void Entry_IsAHostAndAPort(string entry, bool isOne) => WebOptions.TryReadPeer(entry, out _).ShouldBe(isOne);

    /// <summary>Answers every connection with the same bytes, and keeps the requests.</summary>
    private sealed class Peer : IDisposable
    {
        private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
        private readonly List<string> _requests = [];

        public Peer(string answer)
        {
            _listener.Start();
            _ = AnswerAsync(Encoding.ASCII.GetBytes(answer));
        }

        public string Authority => _listener.LocalEndpoint.ToString()!;

        public IReadOnlyList<string> Requests
        {
            get
            {
                lock (_requests)
                {
                    return [.. _requests];
                }
            }
        }

        public void Dispose() => _listener.Dispose();

        private async Task AnswerAsync(byte[] answer)
        {
            try
            {
                while (true)
                {
                    using TcpClient client = await _listener.AcceptTcpClientAsync();
                    byte[] buffer = new byte[4_096];
                    int read = await client.GetStream().ReadAsync(buffer);
                    lock (_requests)
                    {
                        _requests.Add(Encoding.ASCII.GetString(buffer, 0, read));
                    }

                    await client.GetStream().WriteAsync(answer);
                }
            }
            catch (Exception exception) when (exception is SocketException or ObjectDisposedException or IOException)
            {
                // The test has ended.
            }
        }
    }
}
