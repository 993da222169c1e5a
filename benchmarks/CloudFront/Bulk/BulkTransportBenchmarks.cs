using System.Globalization;
using System.Net;
using System.Net.Http.Headers;
using System.Text;
using BenchmarkDotNet.Attributes;
using Elastic.Transport;
using Quayside.Messaging.Elasticsearch;
using Quayside.Messaging.Elasticsearch.BulkResponses;
using Quayside.Pipeline.Buffers;

namespace Benchmarks.CloudFront.Bulk;

/// <summary>
/// A batch of 10,000 documents filled, sent and answered through one canned handler: by the worker's requests, and by Elastic.Transport with
/// two nodes, which copies the body first or sends it chunked. Figures are per document.
/// </summary>
public class BulkTransportBenchmarks
{
    private const int Documents = 10_000;
    private const string Path = "/logs/_bulk?filter_path=took,errors,items.*._id,items.*.status";

    private readonly byte[] _id = "0f8fad5bd9cb469fa16570867728950e-0"u8.ToArray();
    private readonly byte[] _json =
        "{\"date\":\"2019-04-01\",\"time\":\"10:00:00\",\"agent\":\"Mozilla/5.0%20(Windows%20NT%2010.0;%20Win64;%20x64)%20AppleWebKit/537\"}"u8.ToArray();
    private readonly DocumentBatch _batch = new(new SegmentPool(retained: 64), new ItemRules("logs"));
    private readonly BufferPool _buffers = new();
    private readonly BulkRequests _ours;
    private readonly DistributedTransport _transport;
    private readonly RequestConfiguration _copied =
        new() { ContentType = "application/x-ndjson", Accept = "application/json", DisableAuditTrail = true, DisablePings = true };
    private readonly RequestConfiguration _chunked;

    public BulkTransportBenchmarks()
    {
        Uri[] nodes = [new("http://127.0.0.1:9200"), new("http://127.0.0.1:9201")];
        ElasticsearchSinkOptions options = new() { Endpoint = [nodes[0].AbsoluteUri], Index = "logs" };
        _ours = new BulkRequests(options, new CannedBulk(), TimeProvider.System, _buffers);
        _transport = new DistributedTransport(new TransportConfiguration(new StaticNodePool(nodes), new HttpRequestInvoker((_, _) => new CannedBulk())));
        _chunked = new RequestConfiguration(_copied) { TransferEncodingChunked = true };
    }

    [GlobalSetup]
    public async Task Setup()
    {
        if (await Ours() != Documents || await TransportCopied() != Documents || await TransportChunked() != Documents)
        {
            throw new InvalidOperationException("A client did not account for every document.");
        }
    }

    /// <returns>Documents created.</returns>
    [Benchmark(Baseline = true, OperationsPerInvoke = Documents)]
    public async Task<long> Ours()
    {
        Fill();
        await _ours.SendAsync(_batch, Documents, askFirst: false, TimeSpan.FromSeconds(30), CancellationToken.None);
        return Empty();
    }

    /// <summary>The transport's default: the body is copied into a stream of its own, and sent with its length.</summary>
    [Benchmark(OperationsPerInvoke = Documents)]
    public Task<long> TransportCopied() => SendAsync(_copied);

    /// <summary>The body is written to the connection as it is, without its length.</summary>
    [Benchmark(OperationsPerInvoke = Documents)]
    public Task<long> TransportChunked() => SendAsync(_chunked);

    private async Task<long> SendAsync(RequestConfiguration configuration)
    {
        Fill();
        _batch.BeginAttempt(Documents);
        PostData body = PostData.StreamHandler(
            _batch, (_, _) => throw new NotSupportedException(), (batch, stream, cancellationToken) => batch.WriteAsync(stream, Documents, cancellationToken));
        using StreamResponse response = await _transport.RequestAsync<StreamResponse>(
            new EndpointPath(Elastic.Transport.HttpMethod.POST, Path), body, null, configuration, CancellationToken.None);
        BulkResponseParser parser = new(false);
        BulkParsing parsing = await BulkResponseReader.ReadAsync(response.Body, parser, _batch, long.MaxValue, _buffers, CancellationToken.None);
        if (parsing != BulkParsing.Complete || !_batch.TryAccount(parser.Items))
        {
            throw new InvalidOperationException("The answer was not read.");
        }

        return Empty();
    }

    private void Fill()
    {
        for (int i = 0; i < Documents; i++)
        {
            _batch.Open(ActionLine.Before, _id, ActionLine.Behind);
            _json.CopyTo(_batch.GetSpan(_json.Length));
            _batch.Advance(_json.Length);
            _batch.Close();
        }

        _batch.Complete();
    }

    private long Empty()
    {
        long created = _batch.Created;
        _batch.Reset();
        return created;
    }

    /// <summary>Reads a request to its end and answers that every document was created.</summary>
    private sealed class CannedBulk : HttpMessageHandler
    {
        private readonly byte[] _answer = Encoding.UTF8.GetBytes(
            string.Create(
                CultureInfo.InvariantCulture,
                $$"""{"took":1,"errors":false,"items":[{{string.Join(',', Enumerable.Repeat("""{"create":{"_id":"0f8fad5bd9cb469fa16570867728950e-0","status":201}}""", Documents))}}]}"""));

        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            await request.Content!.CopyToAsync(Stream.Null, cancellationToken);
            ByteArrayContent content = new(_answer);
            content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
            return new HttpResponseMessage(HttpStatusCode.OK) { Content = content, RequestMessage = request };
        }
    }
}
