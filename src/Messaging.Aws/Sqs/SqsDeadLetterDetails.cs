using System.Globalization;
using System.Text.Json;
using Quayside.Messaging.Aws.Sqs.Wire;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>The worker's record of a dead letter in the queue. Untrusted text: not shortened, not escaped.</summary>
/// <param name="SourceId">The message's id in its original queue; null when not recorded.</param>
/// <param name="LastSeen">When it was dead-lettered; null when not recorded.</param>
/// <param name="Description">What happened; null when not recorded.</param>
/// <param name="Attributes">The message's own attributes, as texts; empty without any.</param>
internal readonly record struct SqsDeadLetterDetails(
    string? SourceId, DateTimeOffset? LastSeen, string? Description, IReadOnlyList<SqsMessageAttribute> Attributes)
{
    private static readonly SqsDeadLetterDetails None = new(null, null, null, []);

    /// <summary>Reads the attribute <c>DeadLetterDetails</c>; empty when a redrive policy moved the message, or another program wrote the attribute.</summary>
    public static SqsDeadLetterDetails Read(IReadOnlyList<SqsMessageAttribute> attributes)
    {
        if (attributes.FirstOrDefault(attribute => attribute.Name == SqsDeadLetters.DetailsAttribute)?.StringValue is not { } details)
        {
            return None;
        }

        try
        {
            using JsonDocument document = JsonDocument.Parse(details);
            return document.RootElement.ValueKind != JsonValueKind.Object
                ? None
                : new SqsDeadLetterDetails(
                    Text(document.RootElement, "sourceId"),
                    DateTimeOffset.TryParse(
                        Text(document.RootElement, "lastSeen"), CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out DateTimeOffset lastSeen)
                        ? lastSeen
                        : null,
                    Text(document.RootElement, "description"),
                    Texts(document.RootElement, "attributes"));
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            // Not written by the worker, or with an invalid escape.
            return None;
        }
    }

    private static string? Text(JsonElement details, string name) =>
        details.TryGetProperty(name, out JsonElement value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;

    private static SqsMessageAttribute[] Texts(JsonElement details, string name) =>
        details.TryGetProperty(name, out JsonElement values) && values.ValueKind == JsonValueKind.Object
            ? [.. values
                .EnumerateObject()
                .Where(value => value.Value.ValueKind == JsonValueKind.String)
                .Select(value => new SqsMessageAttribute(value.Name, "String", value.Value.GetString()))]
            : [];
}
