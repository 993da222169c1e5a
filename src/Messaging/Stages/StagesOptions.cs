using Messaging.Configuration;

namespace Messaging.Stages;

/// <summary>Section <c>Stages</c>: the parts that every route's chain begins with.</summary>
internal sealed class StagesOptions
{
    [Setting("Largest body a route accepts; above it the message is dead-lettered as too-large", Bytes = true, Min = "1", Max = "256MiB", Consequence = "Every slot may hold one body of this size.")]
    public long MaxMessageBytes { get; set; } = 1L << 20;
}
