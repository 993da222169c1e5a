using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Elasticsearch;

/// <summary>
/// Creates documents in Elasticsearch with bulk requests. Memory: one batch per open writer and one per request in flight, each as
/// large as its documents and at most <see cref="ElasticsearchSinkOptions.MaxBatchBytes"/> plus one document. It needs none without messages in flight.
/// Threads: any number of concurrent writers.
/// </summary>
internal sealed class ElasticsearchSink : IDocumentSink
{
    // Batches pooled beyond those in flight: one for each writer that fills a batch.
    private const int IdleBatches = 16;

    private readonly BulkRequests _requests;
    private readonly ItemRules _rules;
    private readonly BatchSender _sender;
    private readonly ElasticsearchMetrics _metrics;
    private readonly ILogger _logger;
    private readonly string _endpoint;
    private readonly TimeSpan _attemptTimeout;
    private readonly BoundedPool<DocumentBatch> _batches;
    private readonly SemaphoreSlim _slots;
    private volatile string? _problem;
    private PresentedCertificate? _certificate;

    /// <param name="options">How to index.</param>
    /// <param name="requests">Owned from here on.</param>
    /// <param name="services">Time, log and the route's name.</param>
    public ElasticsearchSink(ElasticsearchSinkOptions options, BulkRequests requests, SinkServices services)
    {
        _requests = requests;
        _logger = services.Loggers.CreateLogger<ElasticsearchSink>();
        _endpoint = string.Join(", ", options.Nodes);
        _attemptTimeout = options.AttemptTimeout;
        _slots = new SemaphoreSlim(options.MaxInFlight);
        _metrics = new ElasticsearchMetrics(services.Route);
        Limits = new BatchLimits(options.MaxBatchBytes, options.MaxBatchDocuments);
        _batches = new BoundedPool<DocumentBatch>(options.MaxInFlight + IdleBatches);

        // Enough for the batches in flight and one that is being filled.
        Segments = new SegmentPool((options.MaxInFlight + 1) * ((options.MaxBatchBytes / SegmentPool.SegmentBytes) + 1));
        _rules = new ItemRules(options.Index!);
        _sender = new BatchSender(options, requests, _rules, Limits, _metrics, services.Time, _logger);
    }

    public string? Problem => _problem;

    /// <summary>When a batch is full.</summary>
    public BatchLimits Limits { get; }

    /// <summary>The memory that batches are made of.</summary>
    public SegmentPool Segments { get; }

    /// <summary>Creates a sink with its own connections, and opens none yet.</summary>
    /// <exception cref="StartupException">The region of signatures is not known, or the client certificate cannot be read.</exception>
    public static ElasticsearchSink Create(ElasticsearchSinkOptions options, Func<TimeProvider, IRequestSigner>? sign, SinkServices services)
    {
        IRequestSigner? signer = sign?.Invoke(services.Time);
        ILogger logger = services.Loggers.CreateLogger<ElasticsearchSink>();
        PresentedCertificate? certificate = options.ClientCertificate is not { } file ? null
            : new PresentedCertificate(
                $"{ElasticsearchSinkOptions.Section}:{nameof(options.ClientCertificate)}",
                services.Route,
                file,
                options.ClientCertificateKey,
                options.ClientCertificatePassword,
                services.Time,
                logger);
        BulkRequests requests = new(options, BulkRequests.CreateHandler(options, certificate), services.Time, BufferPool.Shared, logger, signer);
        return new ElasticsearchSink(options, requests, services) { _certificate = certificate };
    }

    public IDocumentWriter Begin(IDocumentRejections rejections) => new ElasticsearchWriter(this, rejections);

    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        BulkFault fault = await _requests.AskAsync(_attemptTimeout, cancellationToken);
        string failure = ElasticsearchAdvice.Describe(fault, "GET /");
        switch (fault)
        {
            // Credentials that may only create documents may not read the version; a 403 still proves that they are valid.
            case { Kind: BulkFaultKind.None } or { Status: 403 }:
                _problem = null;
                return;
            case { Code: BulkFault.NoCredentialsCode }:
                throw new StartupException(fault.Reason, ExitCodes.NoPermission);
            case { Status: 401 }:
                throw new StartupException($"{failure}. {ElasticsearchAdvice.Unauthorized}", ExitCodes.NoPermission);
            default:
                if (fault is { Status: >= 300 and < 400 or 400 or 404 or 405 } or { Code: BulkFault.ForeignCode })
                {
                    // A proxy in front of Elasticsearch may start later than the worker.
                    failure = $"{failure}. {ElasticsearchAdvice.Foreign}";
                }

                if (_problem is null)
                {
                    _logger.LogUnreachable(_endpoint, failure.TrimEnd('.'));
                }

                _problem = $"{failure.TrimEnd('.')}.";
                return;
        }
    }

    public ValueTask DisposeAsync()
    {
        _requests.Dispose();
        _certificate?.Dispose();
        _slots.Dispose();
        return default;
    }

    /// <summary>Lends an empty batch; <see cref="Return"/> ends the loan.</summary>
    internal DocumentBatch Rent() => _batches.TryTake(out DocumentBatch? batch) ? batch : new DocumentBatch(Segments, _rules);

    internal void Return(DocumentBatch batch)
    {
        batch.Reset();
        _batches.Return(batch);
    }

    /// <summary>Waits for a permit to send a batch; <see cref="Leave"/> releases it.</summary>
    internal Task EnterAsync(CancellationToken cancellationToken) => _slots.WaitAsync(cancellationToken);

    internal void Leave() => _slots.Release();

    /// <summary>Counts a batch's rejected documents, once they have been reported.</summary>
    internal void CountRejected(DocumentBatch batch) => _metrics.Rejected(batch.Rejected.Count);

    /// <summary>The result of a batch whose rejected documents turned out to be the index's fault.</summary>
    internal SinkResult Refuse(in BulkFault fault) => _sender.Refused(fault);

    /// <summary>Sends a complete batch.</summary>
    internal async Task<SinkResult> SendAsync(DocumentBatch batch, CancellationToken cancellationToken)
    {
        long started = RouteMetrics.StoreStarts();
        try
        {
            SinkResult result = await _sender.SendAsync(batch, cancellationToken);
            _problem = result.Status is SinkStatus.Stored or SinkStatus.Rejected ? null : _problem;
            return result;
        }
        finally
        {
            _metrics.Ended(batch, started);
        }
    }
}
