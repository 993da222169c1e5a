using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Sinks;

/// <summary>A kind of sink that routes can name; added with <see cref="Hosting.IMessageWorkerBuilder.AddSink"/>.</summary>
public interface ISinkFeature
{
    /// <summary>The name in <c>Routes:{route}:Sink</c> and below <c>Sinks:</c>, such as <c>S3</c>.</summary>
    string Name { get; }

    /// <summary>The section <c>Sinks:{Name}</c> and the class that reads it; several classes may share it, and a sink without settings has none.</summary>
    IReadOnlyList<SettingsSection> Settings { get; }

    /// <summary>What it stores: its sinks are <see cref="IObjectSink"/> or <see cref="IDocumentSink"/> accordingly.</summary>
    SinkKind Kind => SinkKind.Objects;

    /// <summary>True when its sinks keep <see cref="ObjectProperties"/>; a route whose handler gives them to its objects needs such a sink.</summary>
    bool KeepsProperties => false;

    /// <summary>Reads and checks the settings for one route; reports problems to the reader. Accesses nothing but the configuration.</summary>
    /// <returns>The factory of the sink, called only if the whole configuration is valid, and the properties that the rest of the route needs.</returns>
    SinkPlan Configure(SettingsReader settings, string route);
}

/// <summary>
/// A route's sink as configured and checked: its factory and the properties that the rest of the route needs. Immutable; nothing is opened yet.
/// </summary>
public sealed record SinkPlan
{
    /// <summary>The name of its feature; the planner sets it.</summary>
    public string Name { get; init; } = string.Empty;

    /// <summary>What it stores; the planner sets it.</summary>
    public SinkKind Kind { get; init; }

    /// <summary>Whether it keeps metadata and tags; the planner sets it.</summary>
    public bool KeepsProperties { get; init; }

    /// <summary>Reports the properties of objects that it can never keep, such as a name that its store does not allow; null where it takes all.</summary>
    internal Func<IReadOnlyList<ObjectPropertyPlan>, IEnumerable<ConfigurationError>>? CheckProperties { get; init; }

    /// <summary>Creates the sink; called only if the whole configuration is valid.</summary>
    public required Func<SinkServices, ISink> Create { get; init; }

    /// <summary>True when creating it may ask the surroundings of this machine, such as an instance for its region: <c>validate</c> then does not.</summary>
    internal Func<bool>? IsLeftToStart { get; init; }

    /// <summary>
    /// Writes what <c>validate</c> shows about the sink: a paragraph and an empty line; null for nothing. Called only when the route has no problem.
    /// </summary>
    public Action<TextWriter>? Describe { get; init; }

    /// <summary>The longest time of one store, retries included; zero when the sink sets no limit.</summary>
    public TimeSpan StoreTimeout { get; init; }

    /// <summary>
    /// True when the sink retries a transient fault itself, within <see cref="StoreTimeout"/>, and so never asks for a retry in process
    /// (<see cref="SinkResult.Exhausted"/>). A chain that ends in it then needs no retry of its own.
    /// </summary>
    public bool Retries { get; init; }

    /// <summary>
    /// Set for a sink that keeps objects only as long as the process runs: the setting with which an operator accepts the loss of messages that exist nowhere
    /// else. Null for a durable sink.
    /// </summary>
    public SettingValue<bool>? AllowedLoss { get; init; }

    /// <summary>The first levels that no key may use.</summary>
    internal IReadOnlyList<ReservedLevel> ReservedLevels { get; init; } = [];
}

/// <summary>The form of stored results. A route's handler and sink must agree on it.</summary>
public enum SinkKind
{
    /// <summary>Bytes under a key, with <see cref="IObjectSink"/>.</summary>
    Objects = 0,

    /// <summary>Many JSON documents per message, with <see cref="IDocumentSink"/>.</summary>
    Documents,

    /// <summary>Nothing: the handler stores its results itself or has none, and its route has no sink.</summary>
    None,
}

/// <summary>A first level of keys, up to the first <c>/</c>, that a sink reserves for itself.</summary>
/// <param name="Name">The level, case-insensitive, such as <c>.tmp</c>.</param>
/// <param name="Reason">The reason, as the end of a sentence: <c>the folder sink keeps its unfinished files there</c>.</param>
internal sealed record ReservedLevel(string Name, string Reason);

/// <summary>What a sink may use.</summary>
public sealed record SinkServices
{
    /// <summary>The container, for singletons of the feature.</summary>
    public required IServiceProvider Services { get; init; }

    /// <summary>The logger factory.</summary>
    public ILoggerFactory Loggers { get; init; } = NullLoggerFactory.Instance;

    /// <summary>The clock; tests drive it.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>The route, for the tags of its metrics; null outside a route, where no gauges are published.</summary>
    public string? Route { get; init; }

    /// <summary>The route's breaker, to which others report the outcomes; null outside a route.</summary>
    public IBreaker? Breaker { get; init; }

    /// <summary>Maximum number of concurrent stores: the slots of all sources of the route.</summary>
    public int Concurrency { get; init; } = int.MaxValue;

    /// <summary>The media type of the objects.</summary>
    public string ContentType { get; init; } = "application/json";

    /// <summary>
    /// Keeps unfinished objects of a process that died, which may be the only copies of messages; null when every source keeps its messages.
    /// </summary>
    public IDeadLetterStore? DeadLetters { get; init; }

    /// <summary>Counts its calls; null outside a route.</summary>
    internal ApiCalls? Calls { get; init; }
}
