namespace Messaging.Files;

/// <summary>Work for <see cref="FileThreads"/>.</summary>
internal abstract class FileCall
{
    protected FileCall() => Node = new LinkedListNode<FileCall>(this);

    /// <summary>Its place among those that wait; in no list once a thread has it. Under the lock of <see cref="FileThreads"/>.</summary>
    public LinkedListNode<FileCall> Node { get; }

    /// <summary>Does the work; never throws.</summary>
    public abstract void Execute();
}
