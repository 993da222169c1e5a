using System.Text.Json.Serialization;

namespace Messaging.DeadLetters;

/// <summary>What is kept about a dead-lettered message beside its unchanged body.</summary>
public sealed record DeadLetter
{
    /// <summary>The source's id of the message.</summary>
    public required string SourceId { get; init; }

    /// <summary>The source it came from, such as <c>http</c>.</summary>
    public required string Source { get; init; }

    /// <summary>The route that gave it up.</summary>
    public required string Route { get; init; }

    /// <summary>A stable kebab-case reason code, such as <c>malformed-json</c>.</summary>
    public required string Reason { get; init; }

    /// <summary>What happened, for people.</summary>
    public required string Description { get; init; }

    /// <summary>The full name of the exception's type where one was thrown.</summary>
    public string? ExceptionType { get; init; }

    /// <summary>Deliveries until then, this one included.</summary>
    public required int Attempts { get; init; }

    /// <summary>When the message entered the source, where that is known; else when this delivery was received.</summary>
    public required DateTimeOffset FirstSeen { get; init; }

    /// <summary>When it was given up.</summary>
    public required DateTimeOffset LastSeen { get; init; }

    /// <summary>True for a part of a message, kept to be looked at: it cannot be sent back by itself.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public bool IsPart { get; init; }

    /// <summary>Message attributes as received.</summary>
    public IReadOnlyDictionary<string, string> Attributes { get; init; } = new Dictionary<string, string>(StringComparer.Ordinal);
}
