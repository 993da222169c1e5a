using Messaging.Configuration;

namespace Messaging.Sinks.Memory;

internal sealed class MemorySinkOptions
{
    public const string Section = "Sinks:Memory";

    [Setting("Bytes of objects kept; beyond it objects are counted and dropped, and duplicates and collisions are not detected", Bytes = true, Min = "0", Max = "64GiB")]
    public long Capacity { get; set; } = 256L << 20;

    [Setting("Allows a queue as the source, for tests and benchmarks: its messages are deleted from the queue and lost when the process ends")]
    public bool AllowLoss { get; set; }
}
