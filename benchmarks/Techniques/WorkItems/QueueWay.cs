namespace Benchmarks.Techniques.WorkItems;

/// <summary>The ways to hand work to the thread pool that are compared.</summary>
public enum QueueWay
{
    /// <summary>A task a piece of work.</summary>
    TaskRun,

    /// <summary>A delegate a piece of work, the execution context captured.</summary>
    Closure,

    /// <summary>A cached delegate and its state, no execution context.</summary>
    Delegate,

    /// <summary>The object is the work item; the pool's common queue.</summary>
    WorkItemGlobal,

    /// <summary>The same, the queue of the thread that hands it over.</summary>
    WorkItemLocal,
}
