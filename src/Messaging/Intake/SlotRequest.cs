using System.Threading.Tasks.Sources;
using Messaging.Sources;
using Messaging.Tasks;

namespace Messaging.Intake;

/// <summary>
/// A caller that waits for slots. The intake grants or cancels it under its lock, whichever comes first. The caller continues in a work
/// item of its own, behind the pool's other work; it then gets the slots that have become free meanwhile as well. Reused after its result
/// was read, so that waiting allocates nothing.
/// </summary>
internal sealed class SlotRequest : IValueTaskSource<SlotLease>, IThreadPoolWorkItem
{
    private readonly MessageIntake _intake;

    private ManualResetValueTaskSourceCore<int> _result;
    private int _granted;
    private CancellationTokenRegistration _registration;
    private CancellationToken _cancellationToken;

    public SlotRequest(MessageIntake intake)
    {
        _intake = intake;
        Node = new LinkedListNode<SlotRequest>(this);
    }

    public int Min { get; private set; }

    public int Max { get; private set; }

    /// <summary>The node in the queue of waiters; in no list once the request is granted or cancelled. Under the intake's lock.</summary>
    public LinkedListNode<SlotRequest> Node { get; }

    public void Open(int min, int max, CancellationToken cancellationToken)
    {
        Min = min;
        Max = max;
        _cancellationToken = cancellationToken;
    }

    /// <summary>Await it once; from here on the token can cancel it.</summary>
    public ValueTask<SlotLease> WaitAsync()
    {
        short version = _result.Version;

        // Before the caller can read the result, which makes the request reusable.
        _registration = _cancellationToken.UnsafeRegister(static state => ((SlotRequest)state!)._intake.Withdraw((SlotRequest)state), this);
        return new ValueTask<SlotLease>(this, version);
    }

    public void Grant(int slots)
    {
        _granted = slots;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    public void Cancel() => Grant(0);

    void IThreadPoolWorkItem.Execute()
    {
        if (_granted == 0)
        {
            _result.SetException(new OperationCanceledException(_cancellationToken));
        }
        else
        {
            _result.SetResult(_granted);
        }
    }

    SlotLease IValueTaskSource<SlotLease>.GetResult(short token)
    {
        PooledResult.EnsureCompleted(ref _result, token);

        // Waits for a running cancellation, which must not affect the next use.
        _registration.Dispose();
        try
        {
            return new SlotLease(_intake, _intake.TopUp(_result.GetResult(token), Max));
        }
        finally
        {
            _registration = default;
            _cancellationToken = default;
            _result.Reset();
            _intake.Recycle(this);
        }
    }

    ValueTaskSourceStatus IValueTaskSource<SlotLease>.GetStatus(short token) => _result.GetStatus(token);

    void IValueTaskSource<SlotLease>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _result.OnCompleted(continuation, state, token, flags);
}
