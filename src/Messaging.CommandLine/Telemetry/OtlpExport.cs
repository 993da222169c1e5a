using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.CommandLine.Telemetry;

/// <summary>
/// Sends metrics and traces to an OpenTelemetry collector when the standard environment names one
/// (<c>OTEL_EXPORTER_OTLP_ENDPOINT</c>, or its <c>_METRICS_</c> and <c>_TRACES_</c> forms); otherwise it sets up nothing and
/// does not listen. The standard <c>OTEL_*</c> variables configure everything else.
/// </summary>
internal sealed class OtlpExport(ILogger<OtlpExport> logger, TimeProvider time, IEnumerable<ExportedMeter> meters) : IHostedService, IDisposable
{
    // Garbage collections, thread pool, exceptions: https://learn.microsoft.com/dotnet/core/diagnostics/built-in-metrics-runtime
    private const string RuntimeMeter = "System.Runtime";

    private static readonly string[] Endpoints = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];

    // In milliseconds.
    private const int LastExport = 2_000;

    private OtlpFailures? _failures;
    private MeterProvider? _meters;
    private TracerProvider? _traces;

    /// <summary>Starts the export of spans; null without a configured collector. Disposing it sends the remaining spans.</summary>
    public static TracerProvider? StartTraces() => IsSet("OTEL_EXPORTER_OTLP_ENDPOINT") || IsSet("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        ? Sdk.CreateTracerProviderBuilder()
            .ConfigureResource(Describe)
            .AddSource(RouteMetrics.SourceName)
            .AddOtlpExporter()
            .Build()
        : null;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        // Created before the providers, which read the variables.
        _failures = Array.Exists(Endpoints, IsSet) ? new OtlpFailures(logger, time) : null;
        if (IsSet("OTEL_EXPORTER_OTLP_ENDPOINT") || IsSet("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"))
        {
            _meters = Sdk.CreateMeterProviderBuilder()
                .ConfigureResource(Describe)
                .AddMeter([RouteMetrics.SourceName, RuntimeMeter, .. meters.Select(meter => meter.Name)])
                .AddOtlpExporter()
                .Build();
        }

        _traces = StartTraces();
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public void Dispose()
    {
        // In parallel and with a limit: a hanging collector must not use up the time for the shutdown.
        Parallel.Invoke(() => _meters?.Shutdown(LastExport), () => _traces?.Shutdown(LastExport));
        _meters?.Dispose();
        _traces?.Dispose();
        _failures?.Dispose();
    }

    private static bool IsSet(string variable) => !string.IsNullOrWhiteSpace(Environment.GetEnvironmentVariable(variable));

    private static void Describe(ResourceBuilder resource)
    {
        if (!IsSet("OTEL_SERVICE_NAME"))
        {
            resource.AddService("worker");
        }
    }
}
