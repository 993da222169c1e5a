using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Text;
using Messaging.Tests.Intake;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sinks.Bundles;
using Quayside.Messaging.Telemetry;

namespace Messaging.Tests.Sinks.Bundles;

/// <summary>Bundles over a scripted sink, with a test clock and recorded metrics.</summary>
internal sealed class BundleFixture : IAsyncDisposable
{
    private readonly string _route = $"bundles-{Guid.NewGuid():n}";
    private readonly ConcurrentQueue<string> _metrics = new();
    private readonly MeterListener _listener;

    public BundleFixture(
        int maxMessages = 100, long maxBytes = 1 << 20, int maxPending = 1_000, long maxPendingBytes = 1 << 30, IObjectSink? inner = null,
        TimeProvider? time = null, TimeSpan? maxAge = null,
        ILoggerFactory? loggers = null)
    {
        Breaker = new CircuitBreaker(_route, new RecoverabilityOptions(), time ?? Time, NullLogger.Instance);
        BundlesOptions options = new() { Enabled = true, MaxMessages = maxMessages, MaxBytes = maxBytes, MaxAge = maxAge ?? TimeSpan.FromSeconds(10) };
        SinkServices services = new()
        {
            Services = new ServiceCollection().BuildServiceProvider(),
            Loggers = loggers ?? NullLoggerFactory.Instance,
            Time = time ?? Time,
            Breaker = Breaker,
        };
        Sink = new BundlingSink(inner ?? Inner, options, new BundleLimits(_route, 2_000, maxPending, maxPendingBytes), services);
        _listener = Listen();
    }

    public ManualTimeProvider Time { get; } = new();

    public ScriptedSink Inner { get; } = new();

    public BundlingSink Sink { get; }

    public CircuitBreaker Breaker { get; }

    /// <summary>Called with the name of the instrument after each measurement of this fixture's route; may throw, as a listener with a bug does.</summary>
    public Action<string>? OnMeasured { get; init; }

    /// <summary>The reasons of the bundles closed so far.</summary>
    public string[] Reasons =>
        [.. _metrics.Where(line => line.StartsWith("worker.bundles.flushes", StringComparison.Ordinal)).Select(line => line[(line.LastIndexOf('=') + 1)..])];

    /// <summary>The measurements of the instruments, in order.</summary>
    public string[] Metrics => [.. _metrics];

    public static byte[] Body(string text) => Encoding.UTF8.GetBytes(text);

    /// <summary>Stores a message, whose body holds its key unless another body is given.</summary>
    public Task<SinkResult> StoreAsync(string key, string? body = null, CancellationToken cancellationToken = default) =>
        Sink.StoreAsync(Encoding.UTF8.GetBytes(key), Body(body ?? $$"""{"key":"{{key}}"}"""), cancellationToken).AsTask().WaitAsync(TestMessage.WaitLimit);

    public void AskGauges() => _listener.RecordObservableInstruments();

    public async ValueTask DisposeAsync()
    {
        await Sink.DisposeAsync();
        _listener.Dispose();
    }

    private MeterListener Listen()
    {
        MeterListener listener = new()
        {
            InstrumentPublished = static (instrument, self) =>
            {
                if (instrument.Meter.Name == RouteMetrics.SourceName && instrument.Name.StartsWith("worker.bundles.", StringComparison.Ordinal))
                {
                    self.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            KeyValuePair<string, object?>[] all = tags.ToArray();
            if (all.Contains(new KeyValuePair<string, object?>("worker.route", _route)))
            {
                _metrics.Enqueue(
                    string.Join(
                        ' ', all.Where(tag => tag.Key != "worker.route").Select(tag => $"{tag.Key}={tag.Value}").Prepend($"{instrument.Name}={value}")));
                OnMeasured?.Invoke(instrument.Name);
            }
        });
        listener.Start();
        return listener;
    }
}
