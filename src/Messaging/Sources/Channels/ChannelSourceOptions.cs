using Messaging.Configuration;

namespace Messaging.Sources.Channels;

/// <summary>Settings of the channel source, section <c>Sources:Channel</c>.</summary>
internal sealed class ChannelSourceOptions
{
    public const string Section = "Sources:Channel";

    [Setting("Messages held at once: waiting, in work, or waiting for their next attempt; publishers wait beyond that", Min = "1", Max = "1000000",
        Consequence = "Each message in memory is one that a kill would lose.")]
    public int Capacity { get; set; } = 1_000;

    [Setting("Largest body in bytes; a larger one is refused to its publisher", Min = "1", Max = "256MiB", Bytes = true,
        Consequence = "Capacity times this is the most memory the channel can take.")]
    public int MaxMessageBytes { get; set; } = 1 << 20;

    [Setting("Whether a stop first works off what the channel holds, as long as the shutdown allows; what is left goes to the dead letters either way")]
    public bool DrainOnStop { get; set; } = true;
}
