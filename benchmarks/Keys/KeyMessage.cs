namespace Benchmarks.Keys;

/// <summary>What a key is made of, as an object that any serializer fills.</summary>
public sealed class KeyMessage
{
    public DateTime? EventDateUtc { get; set; }

    public string? Product { get; set; }

    public string? SiteKey { get; set; }

    public string? EventName { get; set; }

    public string? MessageId { get; set; }
}
