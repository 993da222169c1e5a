using Microsoft.Extensions.Hosting;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;

namespace Messaging.Telemetry;

/// <summary>
/// Sends metrics and traces to an OpenTelemetry collector when the standard environment names one
/// (<c>OTEL_EXPORTER_OTLP_ENDPOINT</c>, or its <c>_METRICS_</c> and <c>_TRACES_</c> forms); otherwise nothing is set up and nothing
/// listens. Everything else follows the standard <c>OTEL_*</c> variables too.
/// </summary>
internal sealed class OtlpExport : IHostedService, IDisposable
{
    // Garbage collections, thread pool, exceptions: https://learn.microsoft.com/dotnet/core/diagnostics/built-in-metrics-runtime
    private const string RuntimeMeter = "System.Runtime";

    private MeterProvider? _meters;
    private TracerProvider? _traces;

    /// <summary>Begins to export spans; null where no collector is named. Disposing it sends what is left.</summary>
    public static TracerProvider? StartTraces() => IsSet("OTEL_EXPORTER_OTLP_ENDPOINT") || IsSet("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        ? Sdk.CreateTracerProviderBuilder()
            .ConfigureResource(Describe)
            .AddSource(RouteMetrics.SourceName)
            .AddOtlpExporter()
            .Build()
        : null;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        if (IsSet("OTEL_EXPORTER_OTLP_ENDPOINT") || IsSet("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"))
        {
            _meters = Sdk.CreateMeterProviderBuilder()
                .ConfigureResource(Describe)
                .AddMeter(RouteMetrics.SourceName, RuntimeMeter)
                .AddOtlpExporter()
                .Build();
        }

        _traces = StartTraces();
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public void Dispose()
    {
        _meters?.Dispose();
        _traces?.Dispose();
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
