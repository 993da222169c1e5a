namespace Quayside.Messaging.Tasks;

/// <summary>
/// Messages wait in groups until a group is large or old enough to be handled as a whole: a bundle of a sink, a batch of a handler. This
/// class closes groups by age; the derived class fills them and closes them for any other reason. Threads: any.
/// </summary>
internal abstract class WaitingRoom<TGroup>
    where TGroup : WaitingGroup
{
    // During a shutdown, messages that still arrive wait this long for others: a drained channel would otherwise yield one group per message.
    private static readonly TimeSpan AgeAtStop = TimeSpan.FromMilliseconds(100);

    private readonly TimeProvider _time;
    private TimeSpan _maxAge;

    /// <param name="gate">Guards the groups until they are handled, and their messages.</param>
    /// <param name="time">The clock.</param>
    /// <param name="maxAge">The longest that a message waits in an open group.</param>
    protected WaitingRoom(Lock gate, TimeProvider time, TimeSpan maxAge)
    {
        Gate = gate;
        _time = time;
        _maxAge = maxAge;
        Timer = time.CreateTimer(static room => ((WaitingRoom<TGroup>)room!).CloseAged(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    public Lock Gate { get; }

    /// <summary>The derived class disposes it.</summary>
    protected ITimer Timer { get; }

    /// <summary>Under the lock: true once the room stops.</summary>
    protected bool IsStopping { get; private set; }

    /// <summary>Under the lock: the oldest open group; null without one.</summary>
    protected abstract TGroup? Oldest { get; }

    /// <summary>Called when the route stops: waiting messages are handled now, and later ones within 100 ms.</summary>
    public virtual void StopWaiting()
    {
        lock (Gate)
        {
            IsStopping = true;
            _maxAge = _maxAge < AgeAtStop ? _maxAge : AgeAtStop;
            while (Oldest is { } oldest)
            {
                CloseAged(oldest);
            }
        }
    }

    /// <summary>Under the lock: the latest time to close a group that opens now, as a timestamp.</summary>
    protected long NextDeadline() => _time.GetTimestamp() + (long)(_maxAge.TotalSeconds * _time.TimestampFrequency);

    /// <summary>
    /// Under the lock: sets the timer for the oldest group; call it when one opens. When that closes early, the timer fires without effect and is set again.
    /// </summary>
    protected void SetTimer()
    {
        if (Oldest is { } oldest)
        {
            TimeSpan wait = _time.GetElapsedTime(_time.GetTimestamp(), oldest.Deadline);

            // Rounded up: timers truncate to milliseconds and would fire too early.
            Timer.Change(TimeSpan.FromMilliseconds(Math.Max(1, Math.Ceiling(wait.TotalMilliseconds))), Timeout.InfiniteTimeSpan);
        }
    }

    /// <summary>Under the lock: closes a group that is old enough, so that it is no longer <see cref="Oldest"/>.</summary>
    protected abstract void CloseAged(TGroup group);

    private void CloseAged()
    {
        lock (Gate)
        {
            long now = _time.GetTimestamp();
            while (Oldest is { } oldest && oldest.Deadline <= now)
            {
                CloseAged(oldest);
            }

            SetTimer();
        }
    }
}

/// <summary>Messages that are handled together, in a work item of the group's own. Guarded by the room's lock until they are handled.</summary>
internal abstract class WaitingGroup : IThreadPoolWorkItem
{
    /// <summary>The latest time to close it, as a timestamp.</summary>
    public long Deadline { get; protected set; }

    /// <summary>False once it is closed to further messages.</summary>
    public bool IsOpen { get; protected set; }

    /// <summary>Cancels the handling. Not disposed: a concurrent cancellation of a message, or a handler that ignores it, may still use it.</summary>
    public CancellationTokenSource Cancellation { get; protected set; } = new();

    /// <summary>True when the messages that were cancelled cancel the handling.</summary>
    public abstract bool IsUnwanted { get; }

    void IThreadPoolWorkItem.Execute() => _ = RunAsync();

    /// <summary>Handles the messages; never throws.</summary>
    protected abstract Task RunAsync();
}

/// <summary>One message in a group, and the task that its caller awaits.</summary>
internal abstract class WaitingMessage<TGroup, TResult>(WaitingRoom<TGroup> room) : PooledOperation<TResult>
    where TGroup : WaitingGroup
{
    /// <summary>The group while the message is in one.</summary>
    public TGroup? Group { get; set; }

    /// <summary>True once the message's own token was cancelled.</summary>
    public bool IsCancelled { get; private set; }

    public override void Recycle()
    {
        Group = null;
        IsCancelled = false;
    }

    protected override void Cancel()
    {
        CancellationTokenSource? unwanted;
        bool leaves;
        lock (room.Gate)
        {
            if (IsCancelled || Group is not { } group)
            {
                return;
            }

            IsCancelled = true;
            leaves = TryLeave(group);
            unwanted = group.IsUnwanted ? group.Cancellation : null;
        }

        if (leaves)
        {
            CompleteCancelled();
        }

        _ = unwanted?.CancelAsync();
    }

    /// <summary>Under the lock: leaves the group.</summary>
    /// <returns>False when it is too late: the message gets the group's outcome.</returns>
    protected abstract bool TryLeave(TGroup group);
}
