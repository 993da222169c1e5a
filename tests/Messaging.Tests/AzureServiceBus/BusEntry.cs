namespace Messaging.Tests.AzureServiceBus;

/// <summary>A message as <see cref="FakeBus"/> keeps it; guarded by the lock of the bus.</summary>
internal sealed class BusEntry(long number, DateTimeOffset enqueuedAt, string? id, byte[] body, Dictionary<string, object> properties)
{
    public long Number { get; } = number;

    public DateTimeOffset EnqueuedAt { get; } = enqueuedAt;

    public string? Id { get; } = id;

    public byte[] Body { get; } = body;

    public Dictionary<string, object> Properties { get; } = properties;

    public string? Session { get; init; }

    public string? Subject { get; init; }

    public int DeliveryCount { get; set; }

    /// <summary>The lock of its last delivery; each delivery has a new lock.</summary>
    public Guid LockToken { get; set; }

    public DateTimeOffset LockedUntil { get; set; }
}
