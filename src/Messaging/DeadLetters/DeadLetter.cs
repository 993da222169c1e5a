using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.DeadLetters;

/// <summary>The record of a dead-lettered message, kept beside its unchanged body.</summary>
public sealed record DeadLetter
{
    /// <summary>The reason of a dead letter without one.</summary>
    public const string Unspecified = "unspecified";

    /// <summary>The source's id of the message.</summary>
    public required string SourceId { get; init; }

    /// <summary>The source that delivered the message, such as <c>http</c>.</summary>
    public required string Source { get; init; }

    /// <summary>The route that dead-lettered the message.</summary>
    public required string Route { get; init; }

    /// <summary>
    /// The name of the route's handler when the message was dead-lettered; null where the source has a dead-letter queue, and in records of earlier versions.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Handler { get; init; }

    /// <summary>A stable kebab-case reason code, such as <c>malformed-json</c>.</summary>
    public required string Reason { get; init; }

    /// <summary>What happened, for people.</summary>
    public required string Description { get; init; }

    /// <summary>The full name of the exception's type where one was thrown.</summary>
    public string? ExceptionType { get; init; }

    /// <summary>
    /// The exception of the last delivery with its stack, in lines separated by <c>\n</c>: at most 4,096 bytes, with control characters escaped. Null without
    /// an exception.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Exception { get; init; }

    /// <summary>Deliveries so far, the dead-lettered one included.</summary>
    public required int Attempts { get; init; }

    /// <summary>When the message entered the source, where that is known; else when it was dead-lettered.</summary>
    public required DateTimeOffset FirstSeen { get; init; }

    /// <summary>When it was dead-lettered.</summary>
    public required DateTimeOffset LastSeen { get; init; }

    /// <summary>True for a part of a message, kept for inspection: it cannot be redriven by itself.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public bool IsPart { get; init; }

    /// <summary>Message attributes as received.</summary>
    public IReadOnlyDictionary<string, string> Attributes { get; init; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>
    /// What its queue keeps beside the attributes: subject, correlation-id, content-type, to, reply-to. Null without any, and where the source has none.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyDictionary<string, string>? SystemProperties { get; init; }

    /// <summary>The message's group or session; null without one.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Group { get; init; }

    /// <summary>By what the source recognised a message that was sent twice; null without it.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? DeduplicationId { get; init; }

    /// <summary>Makes the record of a message that is dead-lettered by a source without a dead-letter queue.</summary>
    /// <param name="message">The message, before the source clears it. A borrow of this call.</param>
    /// <param name="settlement">The settlement by which it is dead-lettered.</param>
    /// <param name="source">The source's name.</param>
    /// <param name="route">The route's name.</param>
    /// <param name="now">The time of the settlement.</param>
    public static DeadLetter Create(ReceivedMessage message, in Settlement settlement, string source, string route, DateTimeOffset now)
    {
        ArgumentNullException.ThrowIfNull(message);
        Dictionary<string, string> attributes = new(StringComparer.Ordinal);
        foreach (KeyValuePair<string, string> attribute in message.Attributes)
        {
            attributes[attribute.Key] = attribute.Value;
        }

        return new DeadLetter
        {
            SourceId = Encoding.UTF8.GetString(message.SourceId.Span),
            Source = source,
            Route = route,
            Reason = settlement.Reason ?? Unspecified,
            Description = settlement.Description ?? string.Empty,
            ExceptionType = settlement.ExceptionType,
            Exception = settlement.Exception is { } exception ? Describe(exception) : null,
            Attempts = message.DeliveryCount,
            FirstSeen = message.EnqueuedAt ?? now,
            LastSeen = now,
            Attributes = attributes,
            Group = message.Group,
            DeduplicationId = message.DeduplicationId,
        };
    }

    /// <summary>The text of an exception for <see cref="Exception"/>.</summary>
    public static string Describe(Exception exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        return UntrustedText.Describe(exception);
    }

    /// <summary>The record as one line of JSON, in camel case: the form in which sources attach it to a message in a queue.</summary>
    public string ToJson() => JsonSerializer.Serialize(this, DeadLetterJson.Default.DeadLetter);

    /// <summary>Reads what <see cref="ToJson"/> wrote.</summary>
    /// <returns>Null when it is no such record, such as one that another program wrote. Its texts are untrusted.</returns>
    public static DeadLetter? FromJson(string? json)
    {
        try
        {
            return json is not null
                && JsonSerializer.Deserialize(
                    json, DeadLetterJson.Default.DeadLetter) is { SourceId: not null, Description: not null, Attributes: not null } letter ? letter : null;
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            return null;
        }
    }
}

/// <summary>The JSON form of a dead letter's record.</summary>
[JsonSourceGenerationOptions(JsonSerializerDefaults.Web, WriteIndented = false)]
[JsonSerializable(typeof(DeadLetter))]
internal sealed partial class DeadLetterJson : JsonSerializerContext;

/// <summary>A dead letter as stored in the folder.</summary>
/// <param name="Name">Its path below the store's folder, without extension: reason, day, id.</param>
/// <param name="Letter">The record.</param>
internal sealed record StoredDeadLetter(string Name, DeadLetter Letter);
