using System.Diagnostics;
using Messaging.Tasks;
using Pipeline.Contexts;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Messaging.Handlers;

/// <summary>A message that waits for its batch, and the task that its route awaits.</summary>
internal sealed class BatchWaiter<T>(BatchCollector<T> collector) : WaitingMessage<BatchRun<T>, bool>(collector)
{
    private PhysicalContext? _context;

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

    public override void Recycle()
    {
        base.Recycle();
        _context = null;
        collector.Return(this);
    }

    protected override bool TryLeave(BatchRun<T> group) => collector.TryLeave(group, this);
}
