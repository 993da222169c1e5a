using System.Diagnostics.CodeAnalysis;

namespace Lab.Techniques.Mailboxes;

/// <summary>A ring of references under a lock.</summary>
internal sealed class LockedQueueMailbox : IMailbox
{
    private readonly Lock _lock = new();
    private readonly Queue<object> _messages = new();

    public void Post(object message)
    {
        lock (_lock)
        {
            _messages.Enqueue(message);
        }
    }

    public bool TryTake([NotNullWhen(true)] out object? message)
    {
        lock (_lock)
        {
            return _messages.TryDequeue(out message);
        }
    }
}
