using Messaging.Configuration;
using Pipeline.Messages;

namespace Messaging.Sources;

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

    /// <summary>
    /// For <c>validate</c>: reports what a start on this machine would be refused for, such as a file that is missing, and what only the start can find
    /// out. Opens no connection and no port, and creates and changes nothing. Null when there is nothing to check.
    /// </summary>
    public Action<StartFindings>? CheckBeforeStart { get; init; }

    /// <summary>True when its dead letters go to the folder <c>DeadLetters:Path</c>.</summary>
    public bool KeepsDeadLetters { get; init; }

    /// <summary>True when its messages may exist only in this process.</summary>
    public bool HoldsOnlyCopies { get; init; }

    /// <summary>The effect of completing a message outside this process.</summary>
    public CompletionEffect OnComplete { get; init; } = CompletionEffect.Deletes;

    /// <summary>The destination that its spans name; null for the source's lower-case name and the route.</summary>
    public MessageDestination? Destination { get; init; }

    /// <summary>True when the source itself starts the spans of its settlements, because it queues settlements.</summary>
    public bool TracesSettlement { get; init; }

    /// <summary>The maximum number of its messages in flight; null when only <c>Intake:Concurrency</c> limits them.</summary>
    public SettingValue<int>? MaxInFlight { get; init; }

    /// <summary>True when its messages arrive before it reserves a slot, as callers of HTTP do: the number of its messages in flight then neither follows the throughput nor falls while the store throttles.</summary>
    public bool IsPushed { get; init; }

    /// <summary>
    /// True when it keeps reserved slots while it reserves others, such as with several receive calls open. The worker then reports a slot
    /// that the source forgets to release only when no other slot is left.
    /// </summary>
    public bool KeepsReservedSlots { get; init; }

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
