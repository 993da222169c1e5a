namespace Tests.Shared.ReadableKeys;

/// <summary>The properties of a message that the default key template uses.</summary>
internal sealed record ReadableMessage(string? EventDateUtc, string? Product, string? SiteKey, string? EventName, string? MessageId);
