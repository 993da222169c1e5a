using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using OpenTelemetry;
using OpenTelemetry.Exporter;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.CommandLine.Telemetry;

/// <summary>
/// Sends metrics and traces to an OpenTelemetry collector when the standard environment names one
/// (<c>OTEL_EXPORTER_OTLP_ENDPOINT</c>, or its <c>_METRICS_</c> and <c>_TRACES_</c> forms); otherwise it sets up nothing and
/// does not listen. The standard <c>OTEL_*</c> variables configure everything else; a variable of one signal takes precedence over the one of all.
/// </summary>
internal sealed partial class OtlpExport(ILogger<OtlpExport> logger, TimeProvider time, IEnumerable<ExportedMeter> meters) : IHostedService, IDisposable
{
    // Garbage collections, thread pool, exceptions: https://learn.microsoft.com/dotnet/core/diagnostics/built-in-metrics-runtime
    private const string RuntimeMeter = "System.Runtime";

    private const string Prefix = "OTEL_EXPORTER_OTLP_";
    private const string Endpoint = "ENDPOINT";
    private const string Traces = "TRACES";
    private const string Metrics = "METRICS";

    // In milliseconds.
    private const int LastExport = 2_000;

    private OtlpFailures? _failures;
    private MeterProvider? _meters;
    private TracerProvider? _traces;

    /// <summary>Starts the export of spans; null without a configured collector. Disposing it sends the remaining spans.</summary>
    public static TracerProvider? StartTraces() => IsExported(Traces)
        ? Sdk.CreateTracerProviderBuilder()
            .ConfigureServices(static services => services.AddSingleton(VariablesOf(Traces)))
            .ConfigureResource(Describe)
            .AddSource(RouteMetrics.SourceName)
            .AddOtlpExporter(static options => SetEndpoint(options, Traces))
            .Build()
        : null;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        foreach (Configuration.ConfigurationError problem in OtlpVariables.FindProblems())
        {
            LogVariable(logger, problem);
        }

        // Created before the providers, which read the variables.
        _failures = IsExported(Traces) || IsExported(Metrics) ? new OtlpFailures(logger, time) : null;
        Start(() => _meters = !IsExported(Metrics) ? null : Sdk.CreateMeterProviderBuilder()
            .ConfigureServices(static services => services.AddSingleton(VariablesOf(Metrics)))
            .ConfigureResource(Describe)
            .AddMeter([RouteMetrics.SourceName, RuntimeMeter, .. meters.Select(meter => meter.Name)])
            .AddOtlpExporter(static options => SetEndpoint(options, Metrics))
            .Build());
        Start(() => _traces = StartTraces());
        return Task.CompletedTask;
    }

    // A worker without telemetry is better than none.
    private void Start(Action start)
    {
        try
        {
            start();
        }
        catch (Exception exception)
        {
            _failures?.NotStarted(exception);
        }
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

    private static bool IsExported(string signal) => IsSet(Prefix + Endpoint) || IsSet($"{Prefix}{signal}_{Endpoint}");

    /// <summary>The environment in which the signal's own variables stand for those of all signals, which are the only ones that the exporter reads.</summary>
    private static IConfiguration VariablesOf(string signal)
    {
        string own = $"{Prefix}{signal}_";
        IConfigurationRoot environment = new ConfigurationBuilder().AddEnvironmentVariables().Build();
        return new ConfigurationBuilder()
            .AddConfiguration(environment)
            .AddInMemoryCollection(environment.AsEnumerable()
                .Where(variable => variable.Key.StartsWith(own, StringComparison.OrdinalIgnoreCase) && !string.IsNullOrWhiteSpace(variable.Value))
                .Select(variable => KeyValuePair.Create(Prefix + variable.Key[own.Length..], variable.Value)))
            .Build();
    }

    // The exporter adds a path to the address of all signals, and none to one that is set here. It reports one that is no address.
    private static void SetEndpoint(OtlpExporterOptions options, string signal)
    {
        if (Uri.TryCreate(Environment.GetEnvironmentVariable($"{Prefix}{signal}_{Endpoint}"), UriKind.Absolute, out Uri? address))
        {
            options.Endpoint = address;
        }
    }

    [LoggerMessage(1117, LogLevel.Warning, "{Warning}")]
    private static partial void LogVariable(ILogger logger, Configuration.ConfigurationError warning);

    private static bool IsSet(string variable) => !string.IsNullOrWhiteSpace(Environment.GetEnvironmentVariable(variable));

    private static void Describe(ResourceBuilder resource)
    {
        if (!IsSet("OTEL_SERVICE_NAME"))
        {
            resource.AddService("worker");
        }
    }
}
