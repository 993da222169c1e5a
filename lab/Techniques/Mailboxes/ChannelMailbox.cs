using System.Diagnostics.CodeAnalysis;
using System.Threading.Channels;

namespace Lab.Techniques.Mailboxes;

/// <summary>A channel with the option that one thread reads.</summary>
internal sealed class ChannelMailbox : IMailbox
{
    private readonly Channel<object> _messages = Channel.CreateUnbounded<object>(new UnboundedChannelOptions { SingleReader = true });

    public void Post(object message) => _messages.Writer.TryWrite(message);

    public bool TryTake([NotNullWhen(true)] out object? message) => _messages.Reader.TryRead(out message);
}
