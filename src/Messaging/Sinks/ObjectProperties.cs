namespace Quayside.Messaging.Sinks;

/// <summary>
/// What an object has beside its bytes, under names of the user's: metadata and tags, as S3 has them. They do not identify an object: a store
/// compares bytes alone, and an object that is stored already keeps its own. Immutable.
/// </summary>
public sealed class ObjectProperties
{
    /// <summary>No metadata and no tags.</summary>
    public static ObjectProperties None { get; } = new();

    /// <summary>
    /// Metadata: names are those of headers, in any case, and occur once; values are any text. A sink adapts what its store cannot carry, and reports what is
    /// lost.
    /// </summary>
    public IReadOnlyList<KeyValuePair<string, string>> Metadata { get; init; } = [];

    /// <summary>Tags: keys occur once; otherwise as <see cref="Metadata"/>.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Tags { get; init; } = [];

    /// <summary>True when there are neither metadata nor tags.</summary>
    public bool IsEmpty => Metadata.Count == 0 && Tags.Count == 0;
}

/// <summary>The kinds of <see cref="ObjectProperties"/>.</summary>
internal enum ObjectPropertyKind
{
    /// <summary>See <see cref="ObjectProperties.Metadata"/>.</summary>
    Metadata = 0,

    /// <summary>See <see cref="ObjectProperties.Tags"/>.</summary>
    Tag,
}

/// <summary>A property that a handler gives its objects, as far as it is known before any message.</summary>
/// <param name="Setting">The setting, such as <c>Handlers:Archive:Tags:tenant</c>.</param>
/// <param name="Kind">Its kind.</param>
/// <param name="Name">The metadata's name or the tag's key.</param>
/// <param name="Value">The value of every object; null where each message has its own.</param>
internal sealed record ObjectPropertyPlan(string Setting, ObjectPropertyKind Kind, string Name, string? Value);
