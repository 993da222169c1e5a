namespace Proof.Models;

/// <summary>A message of a queue, or a dead letter.</summary>
internal sealed class QueuedMessage(int number, byte[] body, string? group)
{
    /// <summary>Unique in its world.</summary>
    public int Number { get; } = number;

    public byte[] Body { get; } = body;

    public string? Group { get; } = group;

    /// <summary>As SQS writes ids: a UUID.</summary>
    public string Id { get; } = $"00000000-0000-4000-8000-{number:000000000000}";

    /// <summary>Its attributes as JSON; null without any.</summary>
    public string? Attributes { get; init; }

    /// <summary>Ticks of the world's clock.</summary>
    public long SentAt { get; set; }

    /// <summary>Ticks of the world's clock, at its first delivery.</summary>
    public long FirstReceivedAt { get; set; }

    public int Deliveries { get; set; }

    /// <summary>Ticks of the world's clock.</summary>
    public long VisibleAt { get; set; }

    /// <summary>The handle of its last delivery.</summary>
    public string Handle => $"{Number}#{Deliveries}";
}
