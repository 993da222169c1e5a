using System.Diagnostics.Tracing;
using System.Globalization;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.CommandLine.Telemetry;

/// <summary>Logs the failures that the OTLP exporter reports only to its event source, such as an unreachable collector or an invalid variable.</summary>
internal sealed partial class OtlpFailures(ILogger logger, TimeProvider time) : EventListener
{
    private const string Exporter = "OpenTelemetry-Exporter-OpenTelemetryProtocol";

    private readonly ThrottlingLogger _log = new(logger, time, TimeSpan.FromMinutes(5));

    /// <summary>The exporter could not be made, such as from headers without values. Its text may quote them, so only the type is logged.</summary>
    public void NotStarted(Exception exception) => LogFailed(_log, $"The exporter could not be started ({exception.GetType().Name}).");

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        // The base constructor calls it before the fields of this class are set, so it may use only constants.
        if (eventSource.Name == Exporter)
        {
            EnableEvents(eventSource, EventLevel.Warning);
        }
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (_log is not null && eventData.Message is { } message)
        {
            object?[] values = [.. (eventData.Payload ?? []).Select(value => value is string text ? SettingText.Mask(text) : value)];
            string what = string.Format(CultureInfo.InvariantCulture, message, values);
            LogFailed(_log, UntrustedText.Shorten(what.Split('\n')[0]));
        }
    }

    [LoggerMessage(
        1109, LogLevel.Warning,
        "Metrics or traces could not be exported over OTLP: {Problem} The worker continues without them; check the variables OTEL_EXPORTER_OTLP_*")]
    private static partial void LogFailed(ILogger logger, string problem);
}
