using System.Diagnostics;
using System.Text;
using System.Text.Unicode;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using Quayside.Messaging.Objects;

namespace Quayside.Messaging.AzureBlobs;

/// <summary>
/// Stores each object with one conditional Put Blob. Attempts, waits and comparisons share one total time and one retry budget; the client does
/// not retry. Tells the route when the store throttles. Threads: any number concurrently.
/// </summary>
internal sealed class BlobSink : IObjectSink
{
    private const int MaxKeyBytes = 1_024;
    private const int MaxDetail = 256;

    // AWS Architecture Blog, "Exponential Backoff And Jitter"; the cap is never reached within the total time of 20 s.
    private static readonly Backoff Backoff = new(TimeSpan.FromMilliseconds(100), TimeSpan.FromSeconds(20));

    private readonly BlobRequests _requests;
    private readonly BlobSinkOptions _options;
    private readonly BlobObjectProperties _properties;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly IBreaker? _breaker;
    private readonly string? _route;
    private readonly RetryBudget _retries = new();
    private bool _isUncheckedLogged;
    private volatile string? _problem;

    /// <summary>Owns the client.</summary>
    /// <param name="options">The settings.</param>
    /// <param name="services">What the worker gives the sink.</param>
    /// <param name="connections">The HTTP connections; null for real ones.</param>
    public BlobSink(BlobSinkOptions options, SinkServices services, HttpMessageHandler? connections = null)
    {
        _requests = new BlobRequests(options, services, connections);
        _options = options;
        _time = services.Time;
        _logger = services.Loggers.CreateLogger<BlobSink>();
        _properties = new BlobObjectProperties(options, services.Route, _logger, services.Time);
        _breaker = services.Breaker;
        _route = services.Route;
    }

    public string? Problem => _problem;

    public string Locate(string key) => $"{_options.Container}/{key}";

    public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
        StoreAsync(key, body, ObjectProperties.None, cancellationToken);

    public ValueTask<SinkResult> StoreAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, ObjectProperties properties, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<SinkResult>(cancellationToken);
        }

        return FindKeyProblem(key.Span) is { } problem
            ? new ValueTask<SinkResult>(new SinkResult(SinkStatus.Rejected, problem))
            : StoreWithinBoundsAsync(Encoding.UTF8.GetString(key.Span), body, properties.IsEmpty ? null : _properties.Fit(properties), cancellationToken);
    }

    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        BlobFault fault = await _requests.ListAsync(_options.AttemptTimeout, cancellationToken);
        if (fault.Kind is BlobFaultKind.Transient or BlobFaultKind.Throttled)
        {
            fault = await _requests.ListAsync(_options.AttemptTimeout, cancellationToken);
        }

        string failure = fault.Describe(BlobCalls.List);
        string what = $"{failure}. {AdviceFor(fault, BlobCalls.List, properties: null)}";
        switch (fault.Kind)
        {
            case BlobFaultKind.None:
                _problem = null;
                return;

            case BlobFaultKind.Refused when BlobAdvice.IsOfEveryRequest(fault, _options, _time.GetUtcNow()):
                throw new StartupException($"The container '{_options.Container}' cannot be used. {what}", ExitCodes.NoPermission);

            case BlobFaultKind.Refused when fault.Status == 404 || fault.Code == "ContainerDisabled":
                throw new StartupException(what);

            case BlobFaultKind.Refused:
                // A worker that may create blobs may lack the permission to list them.
                _problem = null;
                if (!_isUncheckedLogged)
                {
                    _isUncheckedLogged = true;
                    _logger.LogUnchecked(_options.Container!, what);
                }

                return;

            default:
                string state = fault.IsForeign ? "is not at its endpoint" : "is unreachable";
                if (_problem is null)
                {
                    _logger.LogUnreachable(_options.Container!, state, failure);
                }

                _problem = $"The container '{_options.Container}' {state}: {failure}.";
                return;
        }
    }

    public ValueTask DisposeAsync()
    {
        _requests.Dispose();
        return default;
    }

    // Blob Storage drops dots at the end of a level and makes a slash of a backslash, and HTTP clients resolve . and ..: two keys could become one, or
    // the blob be in another container. Decoding would silently change invalid UTF-8.
    private static string? FindKeyProblem(ReadOnlySpan<byte> key) =>
        key.Length is 0 or > MaxKeyBytes || !Utf8.IsValid(key) ? "Blob Storage does not allow the key: it must be 1 to 1,024 bytes of UTF-8."
        : key.Contains((byte)'\\') ? "Blob Storage makes a slash of a backslash in the key: change the key's template or the value."
        : key[^1] == '.' || key.IndexOf("./"u8) >= 0
        ? "Blob Storage does not keep a dot at the end of a key or before a /: change the key's template or the value."
        : null;

    private async ValueTask<SinkResult> StoreWithinBoundsAsync(
        string key, ReadOnlyMemory<byte> body, ObjectProperties? properties, CancellationToken cancellationToken)
    {
        long start = _time.GetTimestamp();
        bool mayHaveCommitted = false;
        int taken = 0;
        for (int attempt = 1; ; attempt++)
        {
            SinkResult result = SinkResult.Stored;
            ApiOperation operation = BlobCalls.Put;
            TimeSpan limit = Limit(start);
            BlobFault fault = Reported(await PutAsync(key, body, properties, limit, cancellationToken), limit);
            if (fault.Kind == BlobFaultKind.Exists)
            {
                limit = Limit(start);
                (fault, operation, bool same) = await _requests.CompareAsync(key, body, limit, cancellationToken);
                result = Found(Reported(fault, limit), same, mayHaveCommitted);
            }
            else if (fault.Code == BlobFault.MissingRight)
            {
                // Of a signature without the right to overwrite, that may be the answer for a blob that exists.
                limit = Limit(start);
                (BlobFault compared, ApiOperation read, bool same) = await _requests.CompareAsync(key, body, limit, cancellationToken);
                if (compared.Kind is BlobFaultKind.None or BlobFaultKind.Archived)
                {
                    (fault, operation) = (compared, read);
                    result = Found(compared, same, mayHaveCommitted);
                }
            }

            mayHaveCommitted |= fault.MayHaveCommitted && operation == BlobCalls.Put;
            switch (fault.Kind)
            {
                case BlobFaultKind.None or BlobFaultKind.Archived:
                    _retries.Succeeded(taken);
                    _problem = null;
                    return result;
                case BlobFaultKind.Rejected:
                    _problem = null;
                    return Failed(SinkStatus.Rejected, fault, operation, properties);
                case BlobFaultKind.Refused:
                    return Failed(SinkStatus.Refused, fault, operation, properties);
            }

            TimeSpan wait = Backoff.After(attempt, fault.RetryAfter);
            if (attempt >= _options.MaxAttempts || wait >= Remaining(start))
            {
                return Failed(SinkStatus.Transient, fault, operation, properties);
            }

            if (!_retries.TryTake(fault.Code == BlobFault.TimeoutCode, out taken))
            {
                _logger.LogBudgetSpent(fault.Describe(operation));
                return Failed(SinkStatus.Transient, fault, operation, properties);
            }

            _logger.LogRetry(fault.Describe(operation), attempt, _options.MaxAttempts, wait);
            ObjectStoreMetrics.Retried(_route, fault.Status, fault.Code);
            await Task.Delay(wait, _time, cancellationToken);
        }
    }

    // A blob that an earlier attempt of this call stored, but whose answer was lost, is this call's own.
    private SinkResult Found(in BlobFault fault, bool same, bool mayHaveCommitted) => (fault.Kind, same, mayHaveCommitted) switch
    {
        (BlobFaultKind.Archived, _, _) =>
            new SinkResult(
                SinkStatus.Collision,
                $"The container '{_options.Container}' holds an archived blob under this key, which cannot be compared: rehydrate it, then redrive."),
        (_, true, true) => SinkResult.Stored,
        (_, true, false) => SinkResult.AlreadyStored,
        _ => new SinkResult(SinkStatus.Collision, $"The container '{_options.Container}' holds other bytes under this key."),
    };

    private ValueTask<BlobFault> PutAsync(
        string key, ReadOnlyMemory<byte> body, ObjectProperties? properties, TimeSpan limit, CancellationToken cancellationToken) =>
        MessageSpans.IsListening
            ? PutTracedAsync(key, body, properties, limit, cancellationToken)
            : _requests.PutAsync(key, body, properties, limit, cancellationToken);

    private async ValueTask<BlobFault> PutTracedAsync(
        string key, ReadOnlyMemory<byte> body, ObjectProperties? properties, TimeSpan limit, CancellationToken cancellationToken)
    {
        Activity? span = MessageSpans.StartCall(
            "AzureBlobs.PutBlob",
            [
                new("rpc.service", BlobCalls.Service),
                new("rpc.method", BlobCalls.Put.Name),
                new("worker.blob.container", _options.Container),
                new("worker.blob.name", key),
            ]);
        try
        {
            BlobFault fault = await _requests.PutAsync(key, body, properties, limit, cancellationToken);
            span?.SetTag("worker.blob.request_id", fault.RequestId);
            span?.SetTag("http.response.status_code", fault.Status == 0 ? null : fault.Status);

            // An existing blob is compared next: probably a redelivered message, and no failure.
            if (fault.Kind is not (BlobFaultKind.None or BlobFaultKind.Exists))
            {
                MessageSpans.Fail(span, fault.Code, fault.Describe(BlobCalls.Put));
            }

            return fault;
        }
        catch (OperationCanceledException)
        {
            MessageSpans.Fail(span, "cancelled", description: null);
            throw;
        }
        finally
        {
            MessageSpans.End(span);
        }
    }

    // Tells the route when the store throttles. A timeout below an attempt's came from the blob's own deadline and says nothing about the store.
    private BlobFault Reported(in BlobFault fault, TimeSpan limit)
    {
        if (fault.IsOverload && (fault.Status != 0 || limit >= _options.AttemptTimeout))
        {
            _breaker?.Throttled();
        }

        return fault;
    }

    private SinkResult Failed(SinkStatus status, in BlobFault fault, ApiOperation operation, ObjectProperties? properties)
    {
        string detail = fault.Describe(operation);
        if (status == SinkStatus.Refused)
        {
            detail = $"{detail}. {AdviceFor(fault, operation, properties)}";
        }

        return new SinkResult(status, detail.Length > MaxDetail ? detail[..MaxDetail] : detail, fault.RetryAfter, Exhausted: status == SinkStatus.Transient);
    }

    private string AdviceFor(in BlobFault fault, ApiOperation operation, ObjectProperties? properties) =>
        BlobAdvice.For(fault, operation, _options, (properties?.Tags.Count ?? _options.Tags.Count) > 0, _time.GetUtcNow());

    private TimeSpan Remaining(long start) => _options.TotalTimeout - _time.GetElapsedTime(start);

    private TimeSpan Limit(long start)
    {
        TimeSpan remaining = Remaining(start);
        return remaining < TimeSpan.Zero ? TimeSpan.Zero : remaining < _options.AttemptTimeout ? remaining : _options.AttemptTimeout;
    }
}
