using Messaging.Configuration;

namespace Messaging.Sources.Channels;

internal sealed class ChannelSourceOptions
{
    public const string Section = "Sources:Channel";

    [Setting("Messages in the channel at once: waiting, in flight, or waiting for redelivery; publishers wait while it is full", Min = "1", Max = "1000000",
        Consequence = "A kill loses every message in the channel.")]
    public int Capacity { get; set; } = 1_000;

    [Setting("Largest body in bytes; publishing a larger one throws", Min = "1", Max = "256MiB", Bytes = true,
        Consequence = "The channel can use up to Capacity times this much memory.")]
    public int MaxMessageBytes { get; set; } = 1 << 20;

    [Setting("Whether a shutdown first processes the messages in the channel, within the drain timeout; the rest are written to the dead letters either way")]
    public bool DrainOnStop { get; set; } = true;
}
