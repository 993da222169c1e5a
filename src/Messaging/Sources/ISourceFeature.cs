using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Sources;

/// <summary>A kind of source that routes can name; added with <see cref="Hosting.IMessageWorkerBuilder.AddSource"/>.</summary>
public interface ISourceFeature
{
    /// <summary>The name in <c>Routes:{route}:Source</c> and below <c>Sources:</c>, such as <c>Sqs</c>.</summary>
    string Name { get; }

    /// <summary>The section <c>Sources:{Name}</c> and the class that reads it; several classes may share it, and a source without settings has none.</summary>
    IReadOnlyList<SettingsSection> Settings { get; }

    /// <summary>Reads and checks the settings for one route; reports problems to the reader. Accesses nothing but the configuration.</summary>
    /// <returns>The factory of the source, called only if the whole configuration is valid, and the properties that the rest of the route needs.</returns>
    SourcePlan Configure(SettingsReader settings, string route);
}

/// <summary>
/// One source of a route as configured and checked: its factory and the properties that the rest of the route needs. The defaults are safe
/// for any source. Immutable; nothing is opened yet.
/// </summary>
public sealed record SourcePlan
{
    /// <summary>The name of its feature; the planner sets it.</summary>
    public string Name { get; init; } = string.Empty;

    /// <summary>The name in metrics and dead letters: in lower case.</summary>
    internal string LowerName => Name.ToLowerInvariant();

    /// <summary>Creates the source; called only if the whole configuration is valid.</summary>
    public required Func<SourceServices, IMessageSource> Create { get; init; }

    /// <summary>True when creating it may ask the surroundings of this machine, such as an instance for its region: <c>validate</c> then does not.</summary>
    internal Func<bool>? IsLeftToStart { get; init; }

    /// <summary>True when its dead letters go to the folder <c>DeadLetters:Path</c>.</summary>
    public bool KeepsDeadLetters { get; init; }

    /// <summary>True when it counts the messages of its dead-letter queue: <see cref="IMessageSource.CountDeadLettersAsync"/>.</summary>
    public bool CountsDeadLetters { get; init; }

    /// <summary>True when its messages may exist only in this process.</summary>
    public bool HoldsOnlyCopies { get; init; }

    /// <summary>The effect of completing a message outside this process.</summary>
    public CompletionEffect OnComplete { get; init; } = CompletionEffect.Deletes;

    /// <summary>
    /// False for what none of its messages can ever have, so that the start warns where a handler asks for it. Null when they may have anything.
    /// </summary>
    internal Func<MessageValue, bool>? CanGive { get; init; }

    /// <summary>The destination that its spans name; null for the source's lower-case name and the route.</summary>
    internal MessageDestination? Destination { get; init; }

    /// <summary>True when the source itself starts the spans of its settlements, because it queues settlements.</summary>
    internal bool TracesSettlement { get; init; }

    /// <summary>The maximum number of its messages in flight; null when only <c>Intake:Concurrency</c> limits them.</summary>
    public SettingValue<int>? MaxInFlight { get; init; }

    /// <summary>
    /// True when its messages arrive before it reserves a slot, as callers of HTTP do: the number of its messages in flight then neither follows the throughput
    /// nor falls while the store throttles.
    /// </summary>
    public bool IsPushed { get; init; }

    /// <summary>How long it can hold a message in flight; null when only <c>Intake:MessageTimeout</c> limits it.</summary>
    public HoldLimit? Hold { get; init; }
}

/// <summary>The effect of completing a message outside this process, and so what is lost if the sink does not keep it.</summary>
public enum CompletionEffect
{
    /// <summary>The message is deleted from its queue.</summary>
    Deletes = 0,

    /// <summary>The sender gets an answer that the message is stored, and need not send it again.</summary>
    Acknowledges,

    /// <summary>Nothing: no other process waits for it.</summary>
    None,
}

/// <summary>What a source may use.</summary>
public sealed record SourceServices
{
    private readonly ILoggerFactory _loggers = NullLoggerFactory.Instance;

    /// <summary>The route it feeds.</summary>
    public required string Route { get; init; }

    /// <summary>The container, for singletons of the feature.</summary>
    public required IServiceProvider Services { get; init; }

    /// <summary>The dead-letter store, for sources without a dead-letter queue.</summary>
    public required IDeadLetterStore DeadLetters { get; init; }

    /// <summary>The clock; tests drive it.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>The slots of the source, at least 1.</summary>
    public required int Concurrency { get; init; }

    /// <summary>
    /// Counts the dead letters that a source with <see cref="SourcePlan.KeepsDeadLetters"/> writes; those of others are counted by the route. Null outside a
    /// route.
    /// </summary>
    public RouteMetrics? Metrics { get; init; }

    /// <summary>Counts its calls; null outside a route.</summary>
    internal ApiCalls? Calls { get; init; }

    /// <summary>The source's name in metrics and dead letters: its feature's, in lower case.</summary>
    public string Name { get; init; } = "source";

    /// <summary>False on a route without a sink, whose handler completes messages without storing them there.</summary>
    public bool Stores { get; init; } = true;

    /// <summary>Creates loggers that never throw: a full disk of a log must not keep a message from being settled.</summary>
    public ILoggerFactory Loggers
    {
        get => _loggers;
        init => _loggers = new SafeLoggerFactory(value);
    }
}

/// <summary>
/// How long a source holds a message while the sink fails. Outages use at most half of the deliveries that the queue allows; after that, a
/// message is held for as long as the queue's API allows.
/// </summary>
/// <param name="MaxHold">The configured time.</param>
/// <param name="LongestHold">The longest time that the queue's API allows; ignored if it is shorter than <paramref name="MaxHold"/>.</param>
/// <param name="MaxDeliveries">Deliveries after which the queue dead-letters a message; 0 when it never does.</param>
internal readonly record struct HoldRule(TimeSpan MaxHold, TimeSpan LongestHold, int MaxDeliveries)
{
    /// <summary>The time since its receive during which a message may be held.</summary>
    /// <param name="deliveryCount">Its deliveries so far, this one included.</param>
    public TimeSpan LimitFor(int deliveryCount) =>
        MaxDeliveries > 0 && deliveryCount * 2L >= MaxDeliveries && LongestHold > MaxHold ? LongestHold : MaxHold;
}

/// <summary>How long a source can hold a message in flight before it is redelivered.</summary>
/// <param name="Longest">The time since the receive.</param>
/// <param name="InSequence">Messages of one receive that are processed one after another within that time; 1 for unordered sources.</param>
public sealed record HoldLimit(SettingValue<TimeSpan> Longest, int InSequence = 1);
