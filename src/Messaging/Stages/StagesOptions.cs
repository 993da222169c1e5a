using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Stages;

/// <summary>Section <c>Stages</c>: what a route checks before the first part of its pipeline.</summary>
internal sealed class StagesOptions
{
    [Setting(
        "Largest body that a route accepts; a message with a larger one is dead-lettered as too-large", Bytes = true, Min = "1", Max = "256MiB",
        Consequence = "Every slot may hold one body of this size.")]
    public long MaxMessageBytes { get; set; } = 1L << 20;
}
