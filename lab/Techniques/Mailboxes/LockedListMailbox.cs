using System.Diagnostics.CodeAnalysis;

namespace Lab.Techniques.Mailboxes;

/// <summary>The published experiment: a linked list under a lock, one node per message.</summary>
internal sealed class LockedListMailbox : IMailbox
{
    private readonly Lock _lock = new();
    private readonly LinkedList<object> _messages = new();

    public void Post(object message)
    {
        lock (_lock)
        {
            _messages.AddLast(message);
        }
    }

    public bool TryTake([NotNullWhen(true)] out object? message)
    {
        lock (_lock)
        {
            message = _messages.First?.Value;
            if (message is not null)
            {
                _messages.RemoveFirst();
            }

            return message is not null;
        }
    }
}
