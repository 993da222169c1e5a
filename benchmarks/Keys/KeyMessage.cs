namespace Benchmarks.Keys;

/// <summary>The values that make up a key, as an object that any serializer can fill.</summary>
public sealed class KeyMessage
{
    public DateTime? EventDateUtc { get; set; }

    public string? Product { get; set; }

    public string? SiteKey { get; set; }

    public string? EventName { get; set; }

    public string? MessageId { get; set; }
}
