namespace Messaging.AzureServiceBus;

/// <summary>The texts that a dead letter carries; without details the worker's record is left out.</summary>
internal sealed record DeadLetterText(string Reason, string Description, string? Details)
{
    /// <summary>Property of a dead letter that holds the worker's record as JSON, as for SQS.</summary>
    public const string DetailsProperty = "DeadLetterDetails";

    /// <summary>The service's maximum for the reason, and for the description, in characters.</summary>
    public const int MaxLength = 4096;

    /// <summary>The properties to add to the message's own.</summary>
    public Dictionary<string, object> Properties() => Details is null ? [] : new(StringComparer.Ordinal) { [DetailsProperty] = Details };

    /// <summary>Cuts the text to the limit, never within a surrogate pair.</summary>
    public static string Cut(string text) => text.Length <= MaxLength ? text : text[..(char.IsHighSurrogate(text[MaxLength - 1]) ? MaxLength - 1 : MaxLength)];
}
