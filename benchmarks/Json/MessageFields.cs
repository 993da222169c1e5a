namespace Benchmarks.Json;

/// <summary>The five properties of a message that a key is made of, as every level of System.Text.Json gives them.</summary>
public sealed record MessageFields(string? EventDateUtc, string? Product, string? SiteKey, string? EventName, string? MessageId);
