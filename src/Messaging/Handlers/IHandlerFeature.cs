using System.Text.Json.Serialization.Metadata;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;

namespace Quayside.Messaging.Handlers;

/// <summary>
/// A kind of handler that routes can name; added by <see cref="Hosting.IMessageWorkerBuilder.AddHandler"/>. Errors name it by its
/// <see cref="object.ToString"/>, by default the class.
/// </summary>
public interface IHandlerFeature
{
    /// <summary>The name in <c>Routes:{route}:Handler</c> and below <c>Handlers:</c>, such as <c>Archive</c>.</summary>
    string Name { get; }

    /// <summary>
    /// The section <c>Handlers:{Name}</c> and the class that reads it; several classes may share it, and a handler without settings has none.
    /// </summary>
    IReadOnlyList<SettingsSection> Settings { get; }

    /// <summary>The kind of sink that its results go to; with <see cref="SinkKind.None"/> its routes have no sink and must not name one.</summary>
    SinkKind Writes => SinkKind.Objects;

    /// <summary>How bodies are read into messages, so that tests can write messages in the same way; null for a handler that reads bodies itself.</summary>
    JsonTypeInfo? MessageTypeInfo => null;

    /// <summary>Reads and checks the settings for one route; problems go into the reader. Touches nothing outside the configuration.</summary>
    /// <returns>How to add the handler's parts once the whole configuration is valid, and what the rest of the route must know about it.</returns>
    HandlerPlan Configure(SettingsReader settings, string route);
}

/// <summary>
/// A route's handler as configured and checked: how to add its parts, and what the rest of the route must know about it. Immutable; nothing is opened yet.
/// </summary>
public sealed record HandlerPlan
{
    /// <summary>The name of its feature; the planner sets it.</summary>
    public string Name { get; init; } = string.Empty;

    /// <summary>
    /// Adds the handler's parts, terminator included, to the route's chain after the physical stage's own parts; called only when the
    /// whole configuration is valid.
    /// </summary>
    public required Action<PipelineBuilder<MessageContext>, HandlerServices> Compose { get; init; }

    /// <summary>True when it writes dead letters to the folder <c>DeadLetters:Path</c>.</summary>
    public bool KeepsDeadLetters { get; init; }

    /// <summary>Set where messages wait for each other before they are handled.</summary>
    public Batching? Batching { get; init; }

    /// <summary>True when every body that it stores is one whole JSON document, as the lines of a bundle have to be.</summary>
    public bool StoresWholeJson { get; init; }

    /// <summary>The setting that keeps <see cref="StoresWholeJson"/> from being true, and the value that it needs; null where no setting does.</summary>
    internal SettingChoice? WholeJsonChoice { get; init; }

    /// <summary>Finds the setting by which a key could begin with a level that the sink reserves; null where none can.</summary>
    internal Func<ReservedLevel, ConfigurationError?>? FindReserved { get; init; }

    /// <summary>The setting by which the id of a message is an attribute or the like, which messages out of one share; null where it is another.</summary>
    internal SettingValue<string>? IdOfWhole { get; init; }

    /// <summary>What it needs of a message beside the body, for the start's warning where no source of the route can give it.</summary>
    internal IReadOnlyList<NeededValue> NeededValues { get; init; } = [];

    /// <summary>The metadata and tags that it gives its objects.</summary>
    internal IReadOnlyList<ObjectPropertyPlan> Properties { get; init; } = [];

    /// <summary>
    /// True when a message is only an event and the handler reads the object that it names. What the route stores and needs then does not
    /// follow from the number and size of its messages.
    /// </summary>
    internal bool ReadsObjects { get; init; }

    /// <summary>
    /// Writes what <c>validate</c> shows about the handler, such as its rules for keys: a paragraph and an empty line; null for nothing. Called
    /// only when the route has no problem.
    /// </summary>
    internal Action<TextWriter>? Describe { get; init; }
}

/// <summary>What a handler needs of a message beside its body.</summary>
/// <param name="Setting">The setting that asks for it, with its section.</param>
/// <param name="Placeholder">As it stands there, such as <c>@attribute.tenant</c>.</param>
/// <param name="Value">What it is.</param>
internal sealed record NeededValue(string Setting, string Placeholder, MessageValue Value);

/// <summary>A check at start that a handler needs beside those of sink and sources.</summary>
/// <param name="Name">What is checked, as the log names it.</param>
/// <param name="CheckAsync">Throws <see cref="StartupException"/> where the handler can never work as configured.</param>
internal sealed record RouteCheck(string Name, Func<CancellationToken, Task> CheckAsync)
{
    /// <summary>True when the check stays within this process, so that <c>validate</c> runs it too.</summary>
    public bool IsLocal { get; init; }
}

/// <summary>Messages of a route that wait for each other, each in its slot, to form a bundle of the sink or a batch of the handler.</summary>
/// <param name="Unit">What they form, for error messages: <c>bundle</c>.</param>
/// <param name="Done">What happens to it, for error messages: <c>stored</c>.</param>
/// <param name="MaxMessages">The number of messages at which the waiting ends.</param>
/// <param name="MaxAge">The longest wait.</param>
public sealed record Batching(string Unit, string Done, SettingValue<int> MaxMessages, SettingValue<TimeSpan> MaxAge)
{
    /// <summary>The minimum number of slots of a source: while one unit fills, another of the same size is processed.</summary>
    public int MinSlots => 2 * MaxMessages.Value;
}
