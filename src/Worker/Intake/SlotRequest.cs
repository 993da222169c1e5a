namespace Worker.Intake;

/// <summary>Somebody who waits for slots. Granted or cancelled, whichever comes first.</summary>
internal sealed class SlotRequest(int min, int max)
{
    private readonly TaskCompletionSource<int> _granted = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public int Min { get; } = min;

    public int Max { get; } = max;

    /// <summary>The place in the queue of waiters; written under the intake's lock.</summary>
    public LinkedListNode<SlotRequest>? Node { get; set; }

    public Task<int> Task => _granted.Task;

    public bool TryGrant(int slots) => _granted.TrySetResult(slots);

    public void Cancel() => _granted.TrySetCanceled();
}
