using Messaging.Configuration;
using Messaging.Handlers;
using Messaging.Planning;
using Messaging.Sinks;
using Messaging.Sources;
using Microsoft.Extensions.DependencyInjection;

namespace Messaging.Hosting;

/// <summary>
/// Adds sources, handlers, sinks and their settings to a message worker. Routes cannot name a feature that was not added, and its
/// settings are unknown keys. Mistakes, such as a duplicate name, do not throw: the worker reports them at start, with those of the
/// configuration. Each package adds its features by extension methods, such as <c>AddSqs()</c>.
/// </summary>
/// <remarks>The channel source and the sinks Directory and Memory are always added; they open nothing unless a route names them.</remarks>
public interface IMessageWorkerBuilder
{
    /// <summary>The container's services, for singletons that a feature needs at run time.</summary>
    IServiceCollection Services { get; }

    /// <summary>Adds a source that routes may name in <c>Routes:{name}:Source</c>.</summary>
    IMessageWorkerBuilder AddSource(ISourceFeature source);

    /// <summary>Adds a handler that routes may name in <c>Routes:{name}:Handler</c>.</summary>
    IMessageWorkerBuilder AddHandler(IHandlerFeature handler);

    /// <summary>Adds a sink that routes may name in <c>Routes:{name}:Sink</c>.</summary>
    IMessageWorkerBuilder AddSink(ISinkFeature sink);

    /// <summary>Adds a step or behaviour to the pipeline of every route; <c>Pipeline:Parts</c> selects and orders them. See <c>AddStep</c> and <c>AddBehavior</c>.</summary>
    IMessageWorkerBuilder AddPart(RoutePart part);

    /// <summary>
    /// Adds a section that belongs to no single feature. Settings of the process are read once and can be injected as the settings class;
    /// features read per-route settings, once per route. Features that share a section may each add it.
    /// </summary>
    IMessageWorkerBuilder AddSettings(SettingsSection section);
}
