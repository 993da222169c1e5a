using Messaging.Configuration;
using Messaging.Handlers;
using Messaging.Sinks;
using Messaging.Sources;
using Microsoft.Extensions.DependencyInjection;

namespace Messaging.Hosting;

/// <summary>
/// Adds sources, handlers, sinks and their settings to a message worker. What is not added is not in the process: routes cannot name
/// it, and its settings are unknown keys. A mistake, such as a name that is taken, is reported with those of the configuration when
/// the worker starts; no call throws for it. Each package adds its features by extension methods, such as <c>AddSqs()</c>.
/// </summary>
/// <remarks>The channel source and the sinks Directory and Memory are there already: they need no package, and open nothing before a route names them.</remarks>
public interface IMessageWorkerBuilder
{
    /// <summary>The container's services, for singletons that a feature needs when it runs.</summary>
    IServiceCollection Services { get; }

    /// <summary>Adds a source that routes may name in <c>Routes:{name}:Source</c>.</summary>
    IMessageWorkerBuilder AddSource(ISourceFeature source);

    /// <summary>Adds a handler that routes may name in <c>Routes:{name}:Handler</c>.</summary>
    IMessageWorkerBuilder AddHandler(IHandlerFeature handler);

    /// <summary>Adds a sink that routes may name in <c>Routes:{name}:Sink</c>.</summary>
    IMessageWorkerBuilder AddSink(ISinkFeature sink);

    /// <summary>Adds a step or behaviour to the chain of every route; <c>Pipeline:Parts</c> orders them and turns them off. See <c>AddStep</c> and <c>AddBehavior</c>.</summary>
    IMessageWorkerBuilder AddPart(RoutePart part);

    /// <summary>
    /// Adds a section that belongs to no single feature. The settings of the process are read once and can be injected as the class
    /// that reads them; those that a route may give are read by features, for each route. Features that share a section may each add it.
    /// </summary>
    IMessageWorkerBuilder AddSettings(SettingsSection section);
}
