namespace Lab.Techniques.WorkItems;

/// <summary>The compared ways to queue work to the thread pool.</summary>
public enum QueueWay
{
    /// <summary>One task per piece of work.</summary>
    TaskRun,

    /// <summary>One delegate per piece of work, with the execution context captured.</summary>
    Closure,

    /// <summary>A cached delegate and its state, no execution context.</summary>
    Delegate,

    /// <summary>The object is the work item, in the pool's global queue.</summary>
    WorkItemGlobal,

    /// <summary>The same, in the local queue of the thread that queues it.</summary>
    WorkItemLocal,
}
