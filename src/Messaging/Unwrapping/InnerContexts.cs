using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Contexts;

namespace Quayside.Messaging.Unwrapping;

/// <summary>Lends the contexts in which the parts after an envelope run. Threads: any.</summary>
internal sealed class InnerContexts(UnwrapRules rules)
{
    private readonly BoundedPool<InnerContext> _pool = new(rules.Concurrency);

    /// <param name="outer">The context of the message around it.</param>
    /// <param name="content">The message's bytes.</param>
    /// <param name="element">Its number, from 1; 0 for the only one.</param>
    /// <param name="envelope">What it was taken out of; null when it was not.</param>
    public InnerContext Rent(MessageContext outer, ReadOnlyMemory<byte> content, int element, IEnvelope? envelope)
    {
        if (!_pool.TryTake(out InnerContext? inner))
        {
            inner = new InnerContext();
        }

        inner.Message.Open(outer.Message, envelope, content, element, rules.StoresWhole);
        inner.Context.Message = inner.Message;
        inner.Context.Destination = outer.Destination;
        inner.Context.CancellationToken = outer.CancellationToken;
        return inner;
    }

    public void Return(InnerContext inner)
    {
        inner.Context.Reset();
        inner.Message.Close();
        _pool.Return(inner);
    }
}

/// <summary>A context and its message, which stay together.</summary>
internal sealed class InnerContext
{
    public MessageContext Context { get; } = new();

    public UnwrappedMessage Message { get; } = new();
}
