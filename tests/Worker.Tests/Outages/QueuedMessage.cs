namespace Worker.Tests.Outages;

/// <summary>A message as <see cref="SimulatedQueue"/> keeps it; guarded by the queue's lock.</summary>
internal sealed class QueuedMessage(string name, string? group)
{
    public string Name { get; } = name;

    public string? Group { get; } = group;

    public string Id { get; } = Guid.NewGuid().ToString();

    public int ReceiveCount { get; set; }

    public DateTimeOffset VisibleAt { get; set; }

    /// <summary>The receipt handle of its last delivery.</summary>
    public string Handle => $"{Name}#{ReceiveCount}";
}
