using Quayside.Messaging.Sources;
using Quayside.Messaging.Tasks;

namespace Quayside.Messaging.Intake;

/// <summary>
/// A caller that waits for slots. The intake grants or cancels it under its lock, whichever comes first. The caller continues behind the
/// pool's other work; it then gets the slots that have become free meanwhile as well.
/// </summary>
internal sealed class SlotRequest : PooledOperation<SlotLease>
{
    private readonly MessageIntake _intake;

    private int _granted;

    public SlotRequest(MessageIntake intake)
    {
        _intake = intake;
        Node = new LinkedListNode<SlotRequest>(this);
    }

    public int Min { get; private set; }

    public int Max { get; private set; }

    /// <summary>The node in the queue of waiters; in no list once the request is granted or cancelled. Under the intake's lock.</summary>
    public LinkedListNode<SlotRequest> Node { get; }

    public void Open(int min, int max)
    {
        Min = min;
        Max = max;
    }

    public ValueTask<SlotLease> WaitAsync(CancellationToken cancellationToken) => new(this, Begin(cancellationToken));

    /// <summary>Under the intake's lock.</summary>
    public void Grant(int slots)
    {
        _granted = slots;
        Complete(default);
    }

    protected override void Cancel() => _intake.Withdraw(this);

    protected override SlotLease Resume(SlotLease result) => new(_intake, _intake.TopUp(_granted, Max));

    public override void Recycle() => _intake.Recycle(this);
}
