using Messaging.Configuration;
using Messaging.Sinks;
using Pipeline.Building;
using Pipeline.Contexts;

namespace Messaging.Handlers;

/// <summary>A route's handler as configured and checked: how to add its parts, and what the rest of the route must know about it. Immutable; nothing is opened yet.</summary>
public sealed record HandlerPlan
{
    /// <summary>The name of its feature; the planner sets it.</summary>
    public string Name { get; init; } = string.Empty;

    /// <summary>
    /// Adds the handler's parts, terminator included, to the route's chain after the physical stage's own parts; called only when the
    /// whole configuration is valid.
    /// </summary>
    public required Action<PipelineBuilder<PhysicalContext>, HandlerServices> Compose { get; init; }

    /// <summary>
    /// For <c>validate</c>: reports what a start on this machine would be refused for, such as a file that is missing, and what only the start can find
    /// out. Opens no connection and no port, and creates and changes nothing. Null when there is nothing to check.
    /// </summary>
    public Action<StartFindings>? CheckBeforeStart { get; init; }

    /// <summary>True when it writes dead letters to the folder <c>DeadLetters:Path</c>.</summary>
    public bool KeepsDeadLetters { get; init; }

    /// <summary>Set where messages wait for each other before they are handled.</summary>
    public Batching? Batching { get; init; }

    /// <summary>True when every body that it stores is one whole JSON document, as the lines of a bundle have to be.</summary>
    public bool StoresWholeJson { get; init; }

    /// <summary>The setting that keeps <see cref="StoresWholeJson"/> from being true, and the value that it needs; null where no setting does.</summary>
    public SettingChoice? WholeJsonChoice { get; init; }

    /// <summary>Finds the setting by which a key could begin with a level that the sink reserves; null where none can.</summary>
    public Func<ReservedLevel, ConfigurationError?>? FindReserved { get; init; }

    /// <summary>
    /// True when a message is only an event and the handler reads the object that it names. What the route stores and needs then does not
    /// follow from the number and size of its messages.
    /// </summary>
    public bool ReadsObjects { get; init; }

    /// <summary>
    /// Writes what <c>validate</c> shows about the handler, such as its rules for keys: a paragraph and an empty line; null for nothing. Called
    /// only when the route has no problem.
    /// </summary>
    public Action<TextWriter>? Describe { get; init; }
}

/// <summary>A check at start that a handler needs beside those of sink and sources.</summary>
/// <param name="Name">What is checked, as the log names it.</param>
/// <param name="CheckAsync">Throws <see cref="StartupException"/> where the handler can never work as configured.</param>
public sealed record RouteCheck(string Name, Func<CancellationToken, Task> CheckAsync)
{
    /// <summary>True when the check stays within this process, so that <c>validate</c> runs it too.</summary>
    public bool IsLocal { get; init; }
}
