using System.Diagnostics.Tracing;
using System.Globalization;
using Microsoft.Extensions.Logging;

namespace Messaging.Telemetry;

/// <summary>Logs what the OTLP exporter tells only its own event source: a collector that does not answer, a variable that it cannot read.</summary>
internal sealed partial class OtlpFailures(ILogger logger, TimeProvider time) : EventListener
{
    private const string Exporter = "OpenTelemetry-Exporter-OpenTelemetryProtocol";

    private readonly LogThrottle _throttle = new(time, TimeSpan.FromMinutes(5));

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        // Called by the base class's constructor too, before the fields of this one are set; it sees nothing then but constants.
        if (eventSource.Name == Exporter)
        {
            EnableEvents(eventSource, EventLevel.Warning);
        }
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (_throttle is null || eventData.Message is not { } message || !_throttle.ShouldLog(out SuppressedLines suppressed))
        {
            return;
        }

        string what = string.Format(CultureInfo.InvariantCulture, message, [.. eventData.Payload ?? []]);
        LogFailed(logger, UntrustedText.Shorten(what.Split('\n')[0]), suppressed);
    }

    [LoggerMessage(1109, LogLevel.Warning, "Metrics or traces could not be exported over OTLP: {Problem} The worker goes on without; see the variables OTEL_EXPORTER_OTLP_*{Suppressed}")]
    private static partial void LogFailed(ILogger logger, string problem, SuppressedLines suppressed);
}
