using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace Lab.Techniques.Mailboxes;

/// <summary>The original: no lock.</summary>
internal sealed class ConcurrentQueueMailbox : IMailbox
{
    private readonly ConcurrentQueue<object> _messages = new();

    public void Post(object message) => _messages.Enqueue(message);

    public bool TryTake([NotNullWhen(true)] out object? message) => _messages.TryDequeue(out message);
}
