using System.Net;
using Azure;
using Azure.Core.Pipeline;
using Azure.Identity;
using Azure.Storage;
using Azure.Storage.Blobs;
using Azure.Storage.Blobs.Models;
using Azure.Storage.Blobs.Specialized;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using Quayside.Messaging.Objects;

namespace Quayside.Messaging.AzureBlobs;

/// <summary>
/// The requests that the sink makes, sent by Azure.Storage.Blobs. Each ends within its own time, and its outcome is a value. The client does not
/// retry: the sink decides on attempts and waits. Threads: any number concurrently.
/// </summary>
internal sealed class BlobRequests : IDisposable
{
    private readonly HttpClient _http;
    private readonly BlobContainerClient _container;
    private readonly BlobSinkOptions _options;
    private readonly BlobUploadOptions _upload;
    private readonly string _contentType;
    private readonly bool _isUnprotected;
    private readonly TimeProvider _time;
    private readonly ApiCalls _calls;

    /// <param name="options">The settings.</param>
    /// <param name="services">What the worker gives the sink.</param>
    /// <param name="connections">The HTTP connections; null for real ones.</param>
    public BlobRequests(BlobSinkOptions options, SinkServices services, HttpMessageHandler? connections = null)
    {
        _options = options;
        _time = services.Time;
        _calls = services.Calls ?? new ApiCalls();
        _contentType = options.ContentType ?? services.ContentType;
        Uri account = options.ConnectionString is { } given ? new BlobServiceClient(given).Uri : options.Endpoint!;
        _isUnprotected = account.Scheme == Uri.UriSchemeHttp && !account.IsLoopback;
        _http = new HttpClient(new BoundedAnswers(connections ?? CreateConnections(options, account.IsLoopback))) { Timeout = Timeout.InfiniteTimeSpan };
        _container = CreateClient(options, new HttpClientTransport(_http));
        _upload = CreateUpload(properties: null);
    }

    /// <summary>Puts the blob if none has its name. Key (UTF-8) and body are borrowed until the call ends.</summary>
    /// <param name="key">The name.</param>
    /// <param name="body">The bytes.</param>
    /// <param name="properties">All metadata and tags of the blob, as Blob Storage takes them; null for the configured ones.</param>
    /// <param name="limit">The time of the request.</param>
    /// <param name="cancellationToken">Cancels it.</param>
    /// <exception cref="OperationCanceledException">Only for <paramref name="cancellationToken"/>.</exception>
    public async ValueTask<BlobFault> PutAsync(
        string key, ReadOnlyMemory<byte> body, ObjectProperties? properties, TimeSpan limit, CancellationToken cancellationToken)
    {
        using BorrowedStream stream = new(body);
        BlobUploadOptions upload = properties is null ? _upload : CreateUpload(properties);
        try
        {
            (BlobFault fault, Response<BlobContentInfo>? answer) =
                await CallAsync(BlobCalls.Put, token => _container.GetBlockBlobClient(key).UploadAsync(stream, upload, token), limit, cancellationToken);
            return fault.Kind != BlobFaultKind.None || answer is null ? fault
                : answer.Value.ETag == default ? BlobFault.NotBlobs(answer.GetRawResponse().Status)
                : MessageSpans.IsListening ? fault with { Status = answer.GetRawResponse().Status, RequestId = answer.GetRawResponse().Headers.RequestId }
                : fault;
        }
        finally
        {
            stream.Detach();
        }
    }

    /// <summary>Compares the blob with <paramref name="body"/>, byte by byte; a blob in the archive tier by its length and MD5.</summary>
    /// <returns>The fault; without one, whether the bytes are the same.</returns>
    public async ValueTask<(BlobFault Fault, ApiOperation Operation, bool Same)> CompareAsync(
        string key, ReadOnlyMemory<byte> body, TimeSpan limit, CancellationToken cancellationToken)
    {
        BlockBlobClient blob = _container.GetBlockBlobClient(key);
        (BlobFault fault, bool? same) = await CallAsync(BlobCalls.Get, token => HasBytesAsync(blob, body, token), limit, cancellationToken);
        if (fault.Kind != BlobFaultKind.Archived)
        {
            return (fault.Kind == BlobFaultKind.None && same is null ? BlobFault.NotBlobs(200) : fault, BlobCalls.Get, same == true);
        }

        (BlobFault second, Response<BlobProperties>? found) =
            await CallAsync(BlobCalls.GetProperties, token => blob.GetPropertiesAsync(conditions: null, token), limit, cancellationToken);
        return found?.Value is not { } archived ? (second, BlobCalls.GetProperties, false)
            : archived.ContentLength != body.Length ? (second, BlobCalls.GetProperties, false)
            : archived.ContentHash is { } md5 ? (second, BlobCalls.GetProperties, ObjectComparison.IsMd5Of(Convert.ToHexString(md5), body.Span))
            : (fault, BlobCalls.Get, false);
    }

    /// <summary>Lists one blob of the container: the cheapest request whose refusal states the cause.</summary>
    public async ValueTask<BlobFault> ListAsync(TimeSpan limit, CancellationToken cancellationToken) => (await CallAsync(
        BlobCalls.List,
        async token =>
        {
            await using IAsyncEnumerator<Page<BlobItem>> pages =
                _container.GetBlobsAsync(new GetBlobsOptions(), token).AsPages(pageSizeHint: 1).GetAsyncEnumerator(token);
            return await pages.MoveNextAsync();
        },
        limit,
        cancellationToken)).Fault;

    public void Dispose() => _http.Dispose();

    private static async Task<bool?> HasBytesAsync(BlockBlobClient blob, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        Response<BlobDownloadStreamingResult> answer = await blob.DownloadStreamingAsync(options: null, cancellationToken);
        using BlobDownloadStreamingResult found = answer.Value;

        // Blob Storage always sends both. Without them the answer is probably a proxy's, and proves nothing.
        return found.Details.ETag == default || answer.GetRawResponse().Headers.ContentLengthLong is not { } length ? null
            : length != body.Length ? false
            : await ObjectComparison.HasBytesAsync(found.Content, body, cancellationToken);
    }

    private async ValueTask<(BlobFault Fault, T? Answer)> CallAsync<T>(
        ApiOperation operation, Func<CancellationToken, Task<T>> send, TimeSpan limit, CancellationToken cancellationToken)
    {
        using CancellationTokenSource timer = new(limit, _time);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(timer.Token, cancellationToken);
        try
        {
            T answer = await send(either.Token);
            _calls.Sending(operation);
            return (BlobFault.None, answer);
        }
        catch (Exception exception)
        {
            _calls.Failed(operation, exception);
            cancellationToken.ThrowIfCancellationRequested();
            return (BlobFault.Of(exception, timer.IsCancellationRequested), default);
        }
    }

    private BlobUploadOptions CreateUpload(ObjectProperties? properties) => new()
    {
        Conditions = new BlobRequestConditions { IfNoneMatch = ETag.All },
        HttpHeaders = new BlobHttpHeaders
        {
            ContentType = _contentType,
            ContentEncoding = _options.ContentEncoding,
        },
        AccessTier = _options.AccessTier is { } tier ? new AccessTier(tier.ToString()) : (AccessTier?)null,
        Metadata = ToDictionary(
            properties?.Metadata
                ?? _options.Metadata.Select(entry => new KeyValuePair<string, string>(entry.Key, BlobPropertyRules.EncodeMetadata(entry.Value)))),
        Tags = ToDictionary(properties?.Tags ?? (IEnumerable<KeyValuePair<string, string>>)_options.Tags),

        // So that the store refuses a body that was damaged in transit. TLS does that too, and a digest of 1 KiB costs a tenth of the PUT.
        TransferValidation = _isUnprotected ? new UploadTransferValidationOptions { ChecksumAlgorithm = StorageChecksumAlgorithm.MD5 } : null,
    };

    private static Dictionary<string, string>? ToDictionary(IEnumerable<KeyValuePair<string, string>> properties) =>
        properties.Any() ? new(properties, StringComparer.Ordinal) : null;

    private static BlobContainerClient CreateClient(BlobSinkOptions options, HttpPipelineTransport transport)
    {
        BlobClientOptions settings = new()
        {
            Transport = transport,
            TrimBlobNameSlashes = false,
            Request100ContinueOptions = new Request100ContinueOptions { Mode = Request100ContinueMode.Never },
            Retry = { MaxRetries = 0, NetworkTimeout = options.TotalTimeout },
            Diagnostics = { IsDistributedTracingEnabled = false, IsLoggingEnabled = false, IsTelemetryEnabled = false },
        };

        // Not by way of the account's client, which would add the name of the container to a BlobEndpoint that ends with it.
        return options.ConnectionString is { } connectionString
            ? new BlobContainerClient(connectionString, options.Container, settings)
            : new BlobServiceClient(options.Endpoint, new DefaultAzureCredential(), settings).GetBlobContainerClient(options.Container);
    }

    // No redirects (a signed request must not follow one), no cookies, no decompression, no tracing headers. Through the proxy that the environment
    // names; never to this machine.
    private static SocketsHttpHandler CreateConnections(BlobSinkOptions options, bool isHere) => new()
    {
        AllowAutoRedirect = false,
        AutomaticDecompression = DecompressionMethods.None,
        UseCookies = false,
        UseProxy = !isHere,
        Proxy = new EnvironmentProxy(),
        ActivityHeadersPropagator = null,
        ConnectTimeout = options.ConnectTimeout,

        // Addresses of an account move, so a busy connection must be replaced regularly.
        PooledConnectionLifetime = TimeSpan.FromMinutes(5),

        // Shorter than the idle timeout of load balancers, so that a reused connection is rarely closed.
        PooledConnectionIdleTimeout = TimeSpan.FromSeconds(30),
    };
}

/// <summary>Bounds answers that are no blob: the client would read one of any size into memory.</summary>
internal sealed class BoundedAnswers(HttpMessageHandler connections) : DelegatingHandler(connections)
{
    // An error is below 1 KiB, a listing of one blob with its metadata and tags below 32 KiB.
    private const int MaxAnswer = 64 * 1024;

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        HttpResponseMessage response = await base.SendAsync(request, cancellationToken);
        bool isBlob =
            request.Method == HttpMethod.Get && response.IsSuccessStatusCode && !request.RequestUri!.Query.Contains("comp=list", StringComparison.Ordinal);
        if (!isBlob && response.Content.Headers.ContentLength != 0 && request.Method != HttpMethod.Head)
        {
            try
            {
                await response.Content.LoadIntoBufferAsync(MaxAnswer, cancellationToken);
            }
            catch
            {
                response.Dispose();
                throw;
            }
        }

        return response;
    }
}
