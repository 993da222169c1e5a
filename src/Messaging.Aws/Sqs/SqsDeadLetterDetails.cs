using System.Globalization;
using System.Text.Json;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.DeadLetters;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>
/// The worker's record of a dead letter in the queue: what a redrive needs is read one by one, so that a field that is missing or of another type loses no
/// other. Untrusted text: not shortened, not escaped.
/// </summary>
/// <param name="SourceId">The message's id in its original queue; null when not recorded.</param>
/// <param name="LastSeen">When it was dead-lettered; null when not recorded.</param>
/// <param name="Description">What happened; null when not recorded.</param>
/// <param name="Attributes">The message's own attributes, as texts; empty without any.</param>
/// <param name="Record">The whole record; null when a part of it is missing.</param>
internal readonly record struct SqsDeadLetterDetails(
    string? SourceId, DateTimeOffset? LastSeen, string? Description, IReadOnlyList<SqsMessageAttribute> Attributes, DeadLetter? Record)
{
    private static readonly SqsDeadLetterDetails None = new(null, null, null, [], null);

    /// <summary>Reads the attribute <c>DeadLetterDetails</c>; empty when a redrive policy moved the message, or another program wrote the attribute.</summary>
    public static SqsDeadLetterDetails Read(IReadOnlyList<SqsMessageAttribute> attributes)
    {
        if (attributes.FirstOrDefault(static attribute => attribute.Name == SqsDeadLetters.DetailsAttribute)?.StringValue is not { } details)
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
                    Texts(document.RootElement, "attributes"),
                    DeadLetter.FromJson(details));
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
                .Where(static value => value.Value.ValueKind == JsonValueKind.String)
                .Select(static value => new SqsMessageAttribute(value.Name, "String", value.Value.GetString()))]
            : [];
}
