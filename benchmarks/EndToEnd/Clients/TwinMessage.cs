namespace Benchmarks.EndToEnd.Clients;

/// <summary>The properties a key is made of.</summary>
internal sealed record TwinMessage(DateTime? EventDateUtc, string? Product, string? SiteKey, string? EventName, string? MessageId);
