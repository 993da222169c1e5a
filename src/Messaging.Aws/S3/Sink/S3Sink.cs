using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Unicode;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Aws.S3.Sink.Direct;
using Quayside.Messaging.Aws.S3.Sink.Sdk;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using Quayside.Messaging.Objects;
using Quayside.Pipeline.Frames;

namespace Quayside.Messaging.Aws.S3.Sink;

/// <summary>
/// Stores each object with one conditional PUT. Attempts, waits and comparisons share one total time and one retry budget; the clients do
/// not retry. Tells the route when the store throttles. Allocates nothing itself on success. Threads: any number concurrently.
/// </summary>
internal sealed partial class S3Sink : IObjectSink
{
    private const int MaxKeyBytes = 1_024;
    private const int MaxDetail = 512;

    // AWS Architecture Blog, "Exponential Backoff And Jitter"; the cap is never reached within the total time of 20 s.
    private static readonly Backoff Backoff = new(TimeSpan.FromMilliseconds(100), TimeSpan.FromSeconds(20));

    private readonly S3ClientChoice? _client;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly S3SinkOptions _options;
    private readonly S3ObjectProperties _properties;
    private readonly string _bucket;
    private readonly KeyValuePair<string, object?> _route;
    private readonly bool _conditional;
    private readonly TimeSpan _attemptTimeout;
    private readonly TimeSpan _totalTimeout;
    private readonly int _maxAttempts;
    private readonly IBreaker? _breaker;
    private readonly RetryBudget _retries = new();
    private readonly IS3Requests _requests;

    /// <summary>Owns the client.</summary>
    /// <param name="options">The settings.</param>
    /// <param name="requests">The client.</param>
    /// <param name="services">What the worker gives the sink.</param>
    /// <param name="client">Which client it is, for the log and for advice; null to say nothing.</param>
    public S3Sink(S3SinkOptions options, IS3Requests requests, SinkServices services, S3ClientChoice? client = null)
    {
        _requests = requests;
        _client = client;
        _time = services.Time;
        _logger = services.Loggers.CreateLogger<S3Sink>();
        _options = options;
        _properties = new S3ObjectProperties(options, services.Route, _logger, services.Time);
        _bucket = options.Bucket!;
        _route = new KeyValuePair<string, object?>("worker.route", services.Route);
        _conditional = options.Conditional;
        _attemptTimeout = options.AttemptTimeout;
        _totalTimeout = options.TotalTimeout;
        _maxAttempts = options.MaxAttempts;
        _breaker = services.Breaker;
    }

    /// <summary>Creates a sink with its own client.</summary>
    /// <exception cref="StartupException">Region or endpoint cannot be found.</exception>
    public static S3Sink Create(S3SinkOptions options, AwsOptions aws, SinkServices services) =>
        Create(options, aws, AwsCredentialSource.Create(aws, services.Time), services);

    /// <summary>Creates a sink that owns the credentials.</summary>
    public static S3Sink Create(S3SinkOptions options, AwsOptions aws, AwsCredentialSource credentials, SinkServices services)
    {
        S3Endpoint endpoint = S3Endpoint.Resolve(options.ForcePathStyle, aws, Environment.GetEnvironmentVariable, options.Bucket);
        S3ClientChoice choice = S3ClientChoice.Of(options);

        // One connection per concurrent request, so that none waits for a connection until its deadline.
        IS3Requests requests = choice.IsDirect
            ? DirectRequests.Create(options, endpoint, credentials, services, services.Concurrency)
            : SdkRequests.Create(options, endpoint, credentials, services);
        return new S3Sink(options, requests, services, choice);
    }

    public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
        StoreAsync(key, body, ObjectProperties.None, cancellationToken);

    public ValueTask<SinkResult> StoreAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, ObjectProperties properties, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<SinkResult>(cancellationToken);
        }

        // Decoding would silently change invalid UTF-8, and two keys could become one.
        return key.Length is 0 or > MaxKeyBytes || !Utf8.IsValid(key.Span)
            ? new ValueTask<SinkResult>(new SinkResult(SinkStatus.Rejected, "S3 does not allow the key: it must be 1 to 1,024 bytes of UTF-8."))
            : StoreWithinBoundsAsync(key, body, properties.IsEmpty ? null : _properties.Fit(properties), cancellationToken);
    }

    public string Locate(string key) => $"s3://{_bucket}/{key}";

    public ValueTask DisposeAsync()
    {
        _requests.Dispose();
        return default;
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
    private async ValueTask<SinkResult> StoreWithinBoundsAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, ObjectProperties? properties, CancellationToken cancellationToken)
    {
        long start = _time.GetTimestamp();
        bool mayHaveCommitted = false;
        int attempt = 1;
        int taken = 0;
        while (true)
        {
            SinkResult result = SinkResult.Stored;
            string operation = S3Operations.Put;
            TimeSpan limit = Limit(start);
            S3Fault fault = _conditional ? Reported(await PutAsync(key, body, properties, limit, cancellationToken), limit) : S3Fault.None;
            if (!_conditional || fault.Kind == AwsErrorKind.Exists)
            {
                (result, fault, operation) = await CompareAsync(key, body, properties, start, mayHaveCommitted, cancellationToken);
            }

            mayHaveCommitted |= fault.MayHaveCommitted && operation == S3Operations.Put;
            switch (fault.Kind)
            {
                case AwsErrorKind.None:
                    _retries.Succeeded(taken);
                    _problem = null;
                    return result;

                case AwsErrorKind.Rejected:
                    _problem = null;
                    return Failed(SinkStatus.Rejected, fault, operation, properties);

                case AwsErrorKind.ClockSkew or AwsErrorKind.ExpiredCredentials or AwsErrorKind.Refused:
                    return Failed(SinkStatus.Refused, fault, operation, properties);
            }

            TimeSpan wait = Backoff.After(attempt, fault.RetryAfter);
            if (attempt >= _maxAttempts || wait >= Remaining(start))
            {
                return Failed(SinkStatus.Transient, fault, operation, properties);
            }

            if (!_retries.TryTake(fault.Code == S3Fault.TimeoutCode, out taken))
            {
                _logger.LogBudgetSpent(fault.Describe(operation));
                return Failed(SinkStatus.Transient, fault, operation, properties);
            }

            _logger.LogRetry(fault.Describe(operation), attempt, _maxAttempts, wait);
            ObjectStoreMetrics.Retried(_route.Value as string, fault.Status, fault.Code);
            await Task.Delay(wait, _time, cancellationToken);
            attempt++;
        }
    }

    /// <summary>Compares the existing object with the body; without conditional PUTs, stores the object when there is none.</summary>
    private async ValueTask<(SinkResult Result, S3Fault Fault, string Operation)> CompareAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, ObjectProperties? properties, long start, bool mayHaveCommitted,
        CancellationToken cancellationToken)
    {
        TimeSpan limit = Limit(start);
        (S3Fault fault, string operation, bool same) = await _requests.CompareAsync(key, body, limit, cancellationToken);
        if (Reported(fault, limit).Kind == AwsErrorKind.None)
        {
            // An object that an earlier attempt of this call stored, but whose answer was lost, is this call's own.
            SinkResult found = (same, mayHaveCommitted) switch
            {
                (true, true) => SinkResult.Stored,
                (true, false) => SinkResult.AlreadyStored,
                _ => new SinkResult(SinkStatus.Collision, $"s3://{_bucket} holds other bytes under this key."),
            };
            return (found, S3Fault.None, operation);
        }

        if (fault.Code == "InvalidObjectState")
        {
            return (
                new SinkResult(
                    SinkStatus.Collision, $"s3://{_bucket} holds an archived object under this key, which cannot be compared: restore it, then redrive."),
                    S3Fault.None, operation);
        }

        // Without a condition this finds nearly every collision, but not an object that is stored at the same time.
        if (fault.Kind == AwsErrorKind.Missing && !_conditional)
        {
            limit = Limit(start);
            return (SinkResult.Stored, Reported(await PutAsync(key, body, properties, limit, cancellationToken), limit), S3Operations.Put);
        }

        return (default, fault, operation);
    }

    private ValueTask<S3Fault> PutAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, ObjectProperties? properties, TimeSpan limit, CancellationToken cancellationToken) =>
        MessageSpans.IsListening
            ? PutTracedAsync(key, body, properties, limit, cancellationToken)
            : _requests.PutAsync(key, body, properties, limit, cancellationToken);

    private async ValueTask<S3Fault> PutTracedAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, ObjectProperties? properties, TimeSpan limit, CancellationToken cancellationToken)
    {
        Activity? span = MessageSpans.StartCall(
            "S3.PutObject",
            [
                new("rpc.system", "aws-api"),
                new("rpc.service", "S3"),
                new("rpc.method", S3Operations.Put),
                new("aws.s3.bucket", _bucket),
                new("aws.s3.key", Encoding.UTF8.GetString(key.Span)),
            ]);
        try
        {
            S3Fault fault = await _requests.PutAsync(key, body, properties, limit, cancellationToken);
            span?.SetTag("aws.request_id", fault.RequestId);
            span?.SetTag("http.response.status_code", fault.Status == 0 ? null : fault.Status);

            // An existing object is compared next: probably a redelivered message, and no failure.
            if (fault.Kind is not (AwsErrorKind.None or AwsErrorKind.Exists))
            {
                MessageSpans.Fail(span, fault.Code, fault.Describe(S3Operations.Put));
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

    // Tells the route when the store throttles. A timeout below an attempt's came from the object's own deadline and says nothing about the store.
    private S3Fault Reported(in S3Fault fault, TimeSpan limit)
    {
        if (fault.IsOverload && (fault.Status != 0 || limit >= _attemptTimeout))
        {
            _breaker?.Throttled();
        }

        return fault;
    }

    private SinkResult Failed(SinkStatus status, in S3Fault fault, string operation, ObjectProperties? properties)
    {
        string detail = fault.Describe(operation);
        if (status == SinkStatus.Refused)
        {
            string further = S3Advice.PermissionsFor(_options, (properties?.Tags.Count ?? _options.Tags.Count) > 0);
            detail = $"{detail}. {S3Advice.For(fault, operation, _bucket, further)}{S3Advice.ForClient(fault, _client)}";
        }

        return new SinkResult(status, detail.Length > MaxDetail ? detail[..MaxDetail] : detail, fault.RetryAfter, Exhausted: status == SinkStatus.Transient);
    }

    private TimeSpan Remaining(long start) => _totalTimeout - _time.GetElapsedTime(start);

    private TimeSpan Limit(long start)
    {
        TimeSpan remaining = Remaining(start);
        return remaining < TimeSpan.Zero ? TimeSpan.Zero : remaining < _attemptTimeout ? remaining : _attemptTimeout;
    }
}
