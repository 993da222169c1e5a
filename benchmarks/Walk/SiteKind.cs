namespace Benchmarks.Walk;

/// <summary>What is counted at a place in the code.</summary>
internal enum SiteKind
{
    /// <summary>A method begins, or a state machine continues.</summary>
    Call,

    /// <summary>Lock.EnterScope, Lock.Enter, Monitor.Enter or SpinLock.Enter has returned.</summary>
    Lock,

    /// <summary>A method of Interlocked has returned.</summary>
    Interlocked,

    /// <summary>A work item was queued by ThreadPool, Task.Run or TaskFactory.StartNew.</summary>
    WorkItem,

    /// <summary>An async method, or a frame written by hand, has suspended: it registered its continuation with what it awaits.</summary>
    Suspension,
}
