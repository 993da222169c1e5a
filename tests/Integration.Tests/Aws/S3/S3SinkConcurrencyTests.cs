using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using Integration.Tests.Faults.S3;
using Messaging.Aws.S3.Sink;
using Messaging.Sinks;
using S3Fault = Integration.Tests.Faults.S3.S3Fault;

namespace Integration.Tests.Aws.S3;

/// <summary>The limit of requests in flight over a real connection: it falls while the store throttles, and rises afterwards.</summary>
public class S3SinkConcurrencyTests : IAsyncLifetime
{
    private const string Bucket = "archive";
    private const int Messages = 32;

    // Far above what a busy machine adds, so that the comparison is of the store's latency.
    private static readonly TimeSpan Latency = TimeSpan.FromMilliseconds(30);
    private static readonly TimeSpan LongEnough = TimeSpan.FromMinutes(2);

    private readonly ConcurrentDictionary<string, byte[]> _sent = new();
    private FaultyS3 _s3 = null!;
    private int _next;

    internal virtual S3ClientKind Client => S3ClientKind.Sdk;

    private static FaultScript Healthy => FaultScript.Empty.With(new FaultRule { Fault = S3Fault.None, Delay = Latency });

    public async ValueTask InitializeAsync() => _s3 = await FaultyS3.StartAsync(new FaultyS3Options { Script = Healthy });

    public ValueTask DisposeAsync() => _s3.DisposeAsync();

    [Fact]
    public async Task Store_StoreThrottlesForAWhile_LimitFallsAndRisesAndNothingIsLost()
    {
        await using S3Sink sink = S3Sinks.Open(_s3.Endpoint, new S3SinkOptions
        {
            Client = Client,
            Bucket = Bucket,
            MinConcurrency = 2,
            MaxConcurrency = Messages,
            MaxAttempts = 20,
        });
        using CancellationTokenSource patience = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        patience.CancelAfter(LongEnough);

        await StoreUntilAsync(sink, limit => limit >= 12, patience.Token);
        _s3.Script = new FaultScript(1).With(new FaultRule { Fault = S3Fault.SlowDown, Probability = 0.3 }).With(new FaultRule { Fault = S3Fault.None, Delay = Latency });
        await StoreUntilAsync(sink, limit => limit <= 4, patience.Token);
        _s3.Script = Healthy;
        await StoreUntilAsync(sink, limit => limit >= 12, patience.Token);

        _s3.PeakInFlight.ShouldBeLessThanOrEqualTo(Messages);
        (sink.Concurrency.InFlight, sink.Concurrency.Waiting).ShouldBe((0, 0));
        foreach ((string key, byte[] body) in _sent)
        {
            _s3.Objects.Find(Bucket, key).ShouldNotBeNull(key).Body.ShouldBe(body);
        }
    }

    /// <summary>Keeps storing, with the concurrency of a route, until the limit reaches the expected range.</summary>
    private async Task StoreUntilAsync(S3Sink sink, Func<int, bool> reached, CancellationToken cancellationToken)
    {
        await Task.WhenAll(Enumerable.Range(0, Messages).Select(async _ =>
        {
            while (!reached(sink.Concurrency.Limit))
            {
                string key = Interlocked.Increment(ref _next).ToString(CultureInfo.InvariantCulture);
                byte[] body = Encoding.UTF8.GetBytes(key);
                _sent[key] = body;

                // A route would abandon the message, and its source would redeliver it.
                while ((await sink.StoreAsync(body, body, cancellationToken)).Status is var status && status != SinkStatus.Stored)
                {
                    status.ShouldBe(SinkStatus.Transient);
                }
            }
        }));
    }
}
