using Messaging.Configuration;

namespace Messaging.Handlers;

/// <summary>Settings of a batch handler, section <c>Handlers:{name}</c>. Derive from it to add settings of the handler's own.</summary>
public class BatchOptions
{
    /// <summary>Messages at which a batch is passed to the handler; 32.</summary>
    [Setting("Messages at which a batch is passed to the handler; each holds its slot until the handler has returned, so Intake:Concurrency must be at least twice as many", Min = "1", Max = "5000")]
    public int MaxMessages { get; set; } = 32;

    /// <summary>Longest wait of a batch's first message until the batch is passed to the handler; 1 s.</summary>
    [Setting("Longest wait of a batch's first message until the batch is passed to the handler; HTTP callers wait as long", Min = "1ms", Max = "1h", Consequence = "Messages are acknowledged that much later.")]
    public TimeSpan MaxAge { get; set; } = TimeSpan.FromSeconds(1);
}
