using Messaging.Telemetry;
using Microsoft.Extensions.DependencyInjection;

namespace Messaging.Hosting;

/// <summary>Adds telemetry of your own code to what the worker exports.</summary>
public static class TelemetryWorkerBuilderExtensions
{
    /// <summary>
    /// Exports the instruments of a <see cref="System.Diagnostics.Metrics.Meter"/> with the worker's own, in <c>/metrics</c> and over OTLP. The meter may be
    /// created before or after the call. In <c>/metrics</c> its series have the label <c>otel_scope_name</c>, the meter's name.
    /// </summary>
    /// <param name="builder">The worker.</param>
    /// <param name="name">The meter's name, such as <c>Shop</c>; <c>Shop.*</c> for all that begin like this.</param>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    public static IMessageWorkerBuilder AddMeter(this IMessageWorkerBuilder builder, string name)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        builder.Services.AddSingleton(new ExportedMeter(name));
        return builder;
    }
}
