using System.Collections.Concurrent;
using Benchmarks.Aws.Put;
using Shared.Net;

namespace Benchmarks.Tests.Aws.Put;

/// <summary>Every client stores its objects on the test server, which answers only requests that arrived whole.</summary>
public sealed class PutClientTests : IDisposable
{
    private readonly ConcurrentQueue<(string Path, byte[] Body)> _stored = new();
    private readonly PutObjects _objects = new();
    private readonly PutServer _server;

    public PutClientTests() => _server = new PutServer((path, body) => _stored.Enqueue((path, body)));

    public static TheoryData<int> Kinds => [.. Enum.GetValues<PutClientKind>().Select(kind => (int)kind)];

    private Uri Address => new($"http://127.0.0.1:{_server.Port}");

    public void Dispose() => _server.Dispose();

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task PutAsync_EveryKey_IsStored(int kind)
    {
        using IPutClient client = PutClients.Create((PutClientKind)kind, Address, _objects, inFlight: 4);

        await Task.WhenAll(Enumerable.Range(0, 16).Select(key => client.PutAsync(key).AsTask()));

        _stored.Select(put => put.Path).ShouldBe(_objects.KeyTexts.Take(16).Select(key => $"/{PutObjects.Bucket}/{key}"), ignoreOrder: true);
        _stored.ShouldAllBe(put => put.Body.SequenceEqual(_objects.Body));
    }

    [Fact]
    public async Task RunAsync_Load_MeasuresBytesAndProcessorTime()
    {
        using IPutClient client = PutClients.Create(PutClientKind.DirectSink, Address, _objects, inFlight: 4);

        PutRound round = await new PutLoad(client, _objects.KeyTexts.Length, inFlight: 4).RunAsync(TimeSpan.FromMilliseconds(50));

        round.Puts.ShouldBeGreaterThan(0);
        round.Bytes.ShouldBeGreaterThan(0);
        round.CpuSeconds.ShouldBeGreaterThan(0);
    }

    [Fact]
    public async Task RunAsync_ServerNotRunning_Throws()
    {
        using RefusingPort port = new();
        using IPutClient client = PutClients.Create(PutClientKind.UnsignedHttp, port.Address, _objects, inFlight: 2);

        await Should.ThrowAsync<HttpRequestException>(() => new PutLoad(client, 1, inFlight: 2).RunAsync(TimeSpan.FromMinutes(1)));
    }
}
