using System.Net;
using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Elasticsearch.BulkResponses;
using Quayside.Messaging.Objects;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Elasticsearch;

/// <summary>Sends each request once over pooled HTTP/1.1 connections, within its time limit. Threads: any.</summary>
internal sealed class BulkRequests : IDisposable
{
    // An error's text is a few hundred bytes; a proxy's page may be long, and its end adds nothing.
    private const int MaxErrorBytes = 64 * 1024;

    private static readonly string EmptyHash = Convert.ToHexStringLower(SHA256.HashData([]));

    private readonly HttpMessageInvoker _http;
    private readonly ElasticsearchNodes _nodes;
    private readonly IRequestSigner? _signer;
    private readonly bool _hasRoot;
    private readonly AuthenticationHeaderValue? _authorization;
    private readonly bool _gzip;
    private readonly TimeProvider _time;
    private readonly BufferPool _buffers;

    // True once a document was found in a failure store: from then on the items of every answer are parsed.
    private volatile bool _usesFailureStore;

    /// <param name="options">Nodes, index, credentials and compression.</param>
    /// <param name="handler">Owned from here on; must speak HTTP/1.1 (see <see cref="BatchContent"/>).</param>
    /// <param name="time">The clock of the attempts' time limits.</param>
    /// <param name="buffers">Lends the buffers that responses are read into.</param>
    /// <param name="logger">Is told of nodes that do not answer.</param>
    /// <param name="signer">Signs the requests, and is owned from here on; null where they are not signed.</param>
    public BulkRequests(
        ElasticsearchSinkOptions options, HttpMessageHandler handler, TimeProvider time, BufferPool buffers, ILogger? logger = null,
        IRequestSigner? signer = null)
    {
        _http = new HttpMessageInvoker(handler, disposeHandler: true);
        _nodes = new ElasticsearchNodes(options, time, logger ?? NullLogger.Instance);
        _signer = signer;
        _hasRoot = options.SigV4 != AwsSigning.Aoss;
        _authorization = options.ApiKey is { } key ? new AuthenticationHeaderValue("ApiKey", key)
            : options.Username is { } user
            ? new AuthenticationHeaderValue("Basic", Convert.ToBase64String(Encoding.UTF8.GetBytes($"{user}:{options.Password}")))
            : null;
        _gzip = options.GzipRequests;
        _time = time;
        _buffers = buffers;
    }

    /// <summary>
    /// The connections: only to the configured nodes (no redirects), without cookies, through the proxy that the environment names, except to this machine.
    /// </summary>
    /// <param name="options">Nodes and limits.</param>
    /// <param name="certificate">The worker's own; null for none.</param>
    public static SocketsHttpHandler CreateHandler(ElasticsearchSinkOptions options, PresentedCertificate? certificate = null)
    {
        SocketsHttpHandler handler = CreateConnections(options);
        if (certificate is not null)
        {
            // For each connection, so that a renewed certificate is shown.
            handler.SslOptions.LocalCertificateSelectionCallback = (_, _, _, _, _) => certificate.Chain[0];
        }

        return handler;
    }

    private static SocketsHttpHandler CreateConnections(ElasticsearchSinkOptions options) => new()
    {
        AllowAutoRedirect = false,
        AutomaticDecompression = DecompressionMethods.None,
        UseCookies = false,
        UseProxy = !options.Nodes.All(node => node.IsLoopback),
        Proxy = new EnvironmentProxy(),
        ActivityHeadersPropagator = null,
        ConnectTimeout = options.ConnectTimeout,
        MaxConnectionsPerServer = options.MaxInFlight + 1,
        PooledConnectionLifetime = TimeSpan.FromMinutes(5),

        // Load balancers drop idle connections after 60 s or less; a shorter timeout makes a dead reused connection rare.
        PooledConnectionIdleTimeout = TimeSpan.FromSeconds(30),
        MaxResponseDrainSize = MaxErrorBytes,
    };

    /// <summary>Sends the next <paramref name="count"/> pending documents of a batch and applies the response to the batch.</summary>
    /// <param name="batch">A borrow until the call ends; with <see cref="DocumentBatch.IsLeftInUse"/> its bytes may be read for longer.</param>
    /// <param name="count">At least 1.</param>
    /// <param name="askFirst">True to send the body only after the server has accepted the headers (Expect: 100-continue), so that a refusal is
    /// received.</param>
    /// <param name="limit">Time limit of the whole request.</param>
    /// <param name="cancellationToken">Ends the request early.</param>
    /// <returns>No fault when the response states the outcome of every document sent; some may have to be sent again.</returns>
    /// <exception cref="OperationCanceledException">Only of <paramref name="cancellationToken"/>.</exception>
    public async ValueTask<BulkFault> SendAsync(DocumentBatch batch, int count, bool askFirst, TimeSpan limit, CancellationToken cancellationToken)
    {
        batch.BeginAttempt(count);
        using BatchContent content = new(batch, count, _gzip);
        using CancellationTokenSource timer = new(limit, _time);
        using CancellationTokenRegistration link = cancellationToken.UnsafeRegister(static source => ((CancellationTokenSource)source!).Cancel(), timer);
        ElasticsearchNode node = _nodes.Next();
        BulkFault fault;
        try
        {
            using HttpRequestMessage request = CreateRequest(HttpMethod.Post, node.Bulk);
            request.Content = content;
            request.Headers.ExpectContinue = askFirst ? true : null;
            if (_signer is not null)
            {
                await _signer.SignAsync(request, await batch.HashAsync(count, timer.Token), timer.Token);
            }

            using HttpResponseMessage response = await _http.SendAsync(request, timer.Token);
            fault = response.StatusCode == HttpStatusCode.OK
                ? await ReadAnswerAsync(response, batch, count, timer.Token)
                : await ReadFaultAsync(request, response, timer.Token);
        }
        catch (Exception exception)
        {
            cancellationToken.ThrowIfCancellationRequested();
            fault = BulkFaults.Classify(exception, timer.IsCancellationRequested);
        }
        finally
        {
            batch.IsLeftInUse |= content.IsInUse;
        }

        _nodes.Report(node, fault);
        return fault;
    }

    /// <summary>
    /// Requests <c>GET /</c>, which every version answers, and which shows whether the credentials are accepted; OpenSearch Serverless has no
    /// such path, and is asked for the index. Asks other nodes when one does not answer.
    /// </summary>
    public async ValueTask<BulkFault> AskAsync(TimeSpan limit, CancellationToken cancellationToken)
    {
        BulkFault fault = default;
        for (int asked = 0; asked < _nodes.Count; asked++)
        {
            ElasticsearchNode node = _nodes.Next();
            fault = await AskAsync(_hasRoot ? node.Root : node.Index, limit, cancellationToken);
            _nodes.Report(node, fault);
            if (!ElasticsearchNodes.IsDown(fault))
            {
                break;
            }
        }

        // A missing index was asked for with valid credentials, and may be created by the first document.
        return !_hasRoot && fault.Status == 404 ? default : fault;
    }

    public void Dispose()
    {
        _http.Dispose();
        _signer?.Dispose();
    }

    private async ValueTask<BulkFault> AskAsync(Uri address, TimeSpan limit, CancellationToken cancellationToken)
    {
        using CancellationTokenSource timer = new(limit, _time);
        using CancellationTokenRegistration link = cancellationToken.UnsafeRegister(static source => ((CancellationTokenSource)source!).Cancel(), timer);
        try
        {
            using HttpRequestMessage request = CreateRequest(HttpMethod.Get, address);
            if (_signer is not null)
            {
                await _signer.SignAsync(request, EmptyHash, timer.Token);
            }

            using HttpResponseMessage response = await _http.SendAsync(request, timer.Token);
            return response.StatusCode != HttpStatusCode.OK ? await ReadFaultAsync(request, response, timer.Token)
                : BulkFaults.OfRoot(await ReadStartAsync(response, timer.Token));
        }
        catch (Exception exception)
        {
            cancellationToken.ThrowIfCancellationRequested();
            return BulkFaults.Classify(exception, timer.IsCancellationRequested);
        }
    }

    private static async Task<ReadOnlyMemory<byte>> ReadStartAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        byte[] start = new byte[UntrustedText.MaxBytes];
        await using Stream stream = await response.Content.ReadAsStreamAsync(cancellationToken);
        return start.AsMemory(0, await stream.ReadAtLeastAsync(start, start.Length, throwOnEndOfStream: false, cancellationToken));
    }

    private HttpRequestMessage CreateRequest(HttpMethod method, Uri address)
    {
        HttpRequestMessage request = new(method, address) { Version = HttpVersion.Version11, VersionPolicy = HttpVersionPolicy.RequestVersionExact };
        request.Headers.Authorization = _authorization;
        request.Headers.TryAddWithoutValidation("Accept", "application/json");
        return request;
    }

    private async ValueTask<BulkFault> ReadAnswerAsync(HttpResponseMessage response, DocumentBatch batch, int count, CancellationToken cancellationToken)
    {
        BulkResponseParser parser = new(_usesFailureStore);
        Stream stream = await response.Content.ReadAsStreamAsync(cancellationToken);

        // The maximum of an item for each item, and once more for the rest of the response.
        long most = (count + 1L) * BulkResponseParser.MaxMemberBytes;
        BulkParsing parsing = await BulkResponseReader.ReadAsync(stream, parser, batch, most, _buffers, cancellationToken);
        if (parsing == BulkParsing.Complete && parser.HidesFailures)
        {
            _usesFailureStore = true;
            return new BulkFault(BulkFaultKind.Transient, BulkFault.FailureStoreCode, (int)response.StatusCode);
        }

        return parsing == BulkParsing.Complete && batch.TryAccount(parser.Items)
            ? default
            : new BulkFault(BulkFaultKind.Transient, BulkFault.NotBulkCode, (int)response.StatusCode);
    }

    /// <summary>Reads why a request failed. A refused signature that can be repeated with the right clock or keys is transient.</summary>
    private async ValueTask<BulkFault> ReadFaultAsync(HttpRequestMessage request, HttpResponseMessage response, CancellationToken cancellationToken)
    {
        BulkFault fault = await ReadFaultAsync(response, cancellationToken);
        return _signer is not null && fault.Status == 403 && await _signer.TryRecoverAsync(request, response.Headers.Date, cancellationToken)
            ? fault with { Kind = BulkFaultKind.Transient }
            : fault;
    }

    private async ValueTask<BulkFault> ReadFaultAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        PooledBuffer body = _buffers.Rent(4 * 1024);
        try
        {
            Stream stream = await response.Content.ReadAsStreamAsync(cancellationToken);
            int read = -1;
            while (read != 0 && body.Length <= MaxErrorBytes)
            {
                read = await stream.ReadAsync(body.GetMemory(), cancellationToken);
                body.Advance(read);
            }

            return BulkFaults.OfAnswer((int)response.StatusCode, body.WrittenMemory, response.Headers.RetryAfter);
        }
        catch (Exception exception) when (exception is IOException or HttpRequestException)
        {
            // The status is known; only the error's text is lost.
            return BulkFaults.OfAnswer((int)response.StatusCode, default, response.Headers.RetryAfter);
        }
        finally
        {
            body.Dispose();
        }
    }
}

/// <summary>Whether requests are signed for Amazon OpenSearch, and under which service's name.</summary>
internal enum AwsSigning
{
    /// <summary>Not signed.</summary>
    None = 0,

    /// <summary>A domain of Amazon OpenSearch Service.</summary>
    Es,

    /// <summary>A collection of Amazon OpenSearch Serverless.</summary>
    Aoss,
}
