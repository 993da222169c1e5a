using System.Diagnostics;
using Messaging.Tasks;
using Pipeline.Contexts;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Messaging.Handlers;

/// <summary>
/// A message that waits for its batch, and the task that its route awaits. The collector's lock guards what has no lock of its own.
/// </summary>
internal sealed class BatchWaiter<T>(BatchCollector<T> collector) : PooledOperation<bool>
{
    private PhysicalContext? _context;

    /// <summary>The batch while the message is in one.</summary>
    public BatchRun<T>? Run { get; set; }

    /// <summary>True once the message's own token was cancelled.</summary>
    public bool IsCancelled { get; set; }

    /// <summary>The message's span; null without a listener. Valid only while the message waits, like <see cref="Destination"/>.</summary>
    public Activity? Span => _context!.Message.Span;

    /// <summary>Where the message was received from.</summary>
    public MessageDestination? Destination => _context!.Destination;

    public void Open(PhysicalContext context) => _context = context;

    /// <summary>The route's task; called once, after the message joined its batch.</summary>
    public ValueTask Start() => new(this, Begin(_context!.CancellationToken));

    /// <summary>Resumes the route with the decision about the message.</summary>
    public void Settle(in Settlement settlement)
    {
        _context!.Settlement = settlement;
        Complete(true);
    }

    protected override void Cancel() => collector.Cancel(this);

    public override void Recycle()
    {
        _context = null;
        Run = null;
        IsCancelled = false;
        collector.Return(this);
    }
}
