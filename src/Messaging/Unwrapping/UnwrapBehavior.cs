using System.Runtime.CompilerServices;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Frames;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Unwrapping;

/// <summary>
/// Takes the content out of one envelope and passes it on: one message, or each of several. The message around it is settled when all of them
/// are safe. Threads: any number of messages concurrently.
/// </summary>
internal sealed class UnwrapBehavior(IEnvelope envelope, UnwrapRules rules) : IFork<MessageContext, MessageContext>
{
    private readonly BoundedPool<EnvelopeReading> _messages = new(rules.Concurrency);
    private readonly InnerContexts _contexts = new(rules);

    public ValueTask InvokeAsync(MessageContext context, Next<MessageContext> next) => RunAsync(context, next);

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private async ValueTask RunAsync(MessageContext context, Next<MessageContext> next)
    {
        if (!_messages.TryTake(out EnvelopeReading? message))
        {
            message = new EnvelopeReading();
        }

        try
        {
            message.Open(context.Message, rules.MaxBytes, rules.MaxElements);
            await envelope.UnwrapAsync(message, context.CancellationToken);
            if (message.Refusal.IsDecided && !(message.IsUnrecognized && rules.PassesUnrecognized))
            {
                context.Settlement = message.Refusal;
            }
            else if (message.Refusal.IsDecided)
            {
                await HandleAsync(context, next, context.Message.Body, from: null);
            }
            else if (message.IsSplit)
            {
                await new ElementRun(rules, envelope, _contexts, context, next, message.Elements).RunAsync();
            }
            else if (message.Content is { } content)
            {
                await HandleAsync(context, next, content, envelope);
            }
            else
            {
                context.Settlement = Settlement.Undecided(
                    $"The envelope {rules.Envelope} neither took out a content nor refused the message: UnwrapAsync must call "
                        + $"{nameof(EnvelopeReading.SetContent)}, {nameof(EnvelopeReading.Split)} or a Refuse method.");
            }
        }
        finally
        {
            message.Reset();
            _messages.Return(message);
        }
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private async ValueTask HandleAsync(MessageContext context, Next<MessageContext> next, ReadOnlyMemory<byte> content, IEnvelope? from)
    {
        InnerContext inner = _contexts.Rent(context, content, element: 0, from);
        try
        {
            await next.InvokeAsync(inner.Context);
            Settlement settlement = inner.Context.Settlement;
            context.Settlement = settlement.Kind == SettlementKind.DeadLetter
                ? settlement with { Description = $"In the content of the envelope {rules.Envelope}: {settlement.Description}" }
                : settlement;
        }
        finally
        {
            _contexts.Return(inner);
        }
    }
}
