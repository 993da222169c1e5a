namespace Lab.Json;

/// <summary>The five properties of a message that make up its key, as every level of System.Text.Json returns them.</summary>
public sealed record MessageFields(string? EventDateUtc, string? Product, string? SiteKey, string? EventName, string? MessageId);
