using Messaging.Configuration;

namespace Messaging.Sinks.Memory;

/// <summary>Section <c>Sinks:Memory</c>.</summary>
internal sealed class MemorySinkOptions
{
    public const string Section = "Sinks:Memory";

    [Setting("Bytes of objects kept; what comes beyond is counted and dropped, duplicates and collisions then go unseen", Bytes = true, Min = "0", Max = "64GiB")]
    public long Capacity { get; set; } = 256L << 20;

    [Setting("Allows a queue in front of this sink, for tests and measurements: its messages are deleted from the queue and gone with the process")]
    public bool AllowLoss { get; set; }
}
