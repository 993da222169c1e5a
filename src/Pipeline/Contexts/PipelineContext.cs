using System.Diagnostics.CodeAnalysis;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Pipeline.Contexts;

/// <summary>
/// What the parts of a stage share about one message. Pooled: parts never keep one beyond the call, and
/// <see cref="Reset"/> clears every field. Threads: one message, one thread at a time.
/// </summary>
public abstract class PipelineContext
{
    /// <summary>Cancels the processing of this message: its time is up, or the worker stops without waiting any longer.</summary>
    public CancellationToken CancellationToken { get; set; }

    /// <summary>The settlement decided so far; an undecided message is abandoned.</summary>
    public Settlement Settlement { get; set; }

    /// <summary>Clears every field for the next message.</summary>
    public virtual void Reset()
    {
        CancellationToken = default;
        Settlement = default;
    }
}

/// <summary>The first stage's context: the message as bytes, before anything was read from it.</summary>
public sealed class MessageContext : PipelineContext
{
    /// <summary>The message. Borrowed from the receiver, which settles it; parts decide through <see cref="PipelineContext.Settlement"/>.</summary>
    [AllowNull]
    public ReceivedMessage Message
    {
        get => field ?? throw new InvalidOperationException("The context holds no message.");
        set;
    }

    /// <summary>Where the message was received from; null outside of a route.</summary>
    public MessageDestination? Destination { get; set; }

    /// <summary>
    /// Gives the message an attribute for the parts that follow: keys of objects, handlers and steps find it as they find the sender's, of which it
    /// hides one with its name. It is neither stored nor in a dead letter, so that a redelivery sets it again.
    /// </summary>
    /// <param name="name">Its name; upper and lower case differ.</param>
    /// <param name="value">Its value.</param>
    public void SetAttribute(string name, string value)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(value);
        AttributedMessage message = Message as AttributedMessage ?? new AttributedMessage(Message);
        message.Set(name, value);
        Message = message;
    }

    /// <inheritdoc/>
    public override void Reset()
    {
        base.Reset();
        Message = null;
        Destination = null;
    }
}

/// <summary>A bounded pool of contexts. A context is reset when it is returned, so a rented one is always clean.</summary>
/// <param name="capacity">Idle contexts kept; the concurrency limit is enough.</param>
public sealed class ContextPool<TContext>(int capacity)
    where TContext : PipelineContext, new()
{
    private readonly BoundedPool<TContext> _pool = new(capacity);

    // Contexts created and not dropped; a counter of rented ones would cost each message twice.
    private int _alive;

    /// <summary>Contexts rented and not yet returned; exact while no thread rents or returns one.</summary>
    public int Outstanding => Volatile.Read(ref _alive) - _pool.Count;

    /// <summary>Rents a clean context.</summary>
    public TContext Rent()
    {
        if (_pool.TryTake(out TContext? context))
        {
            return context;
        }

        Interlocked.Increment(ref _alive);
        return new TContext();
    }

    /// <summary>Returns the context to the pool; the caller must not touch it afterwards.</summary>
    public void Return(TContext context)
    {
        context.Reset();
        if (!_pool.Return(context))
        {
            Interlocked.Decrement(ref _alive);
        }
    }
}
