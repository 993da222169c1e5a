using Quayside.Messaging.Handlers;
using Quayside.Pipeline.Settlements;

namespace Benchmarks.Handlers;

/// <summary>A typed handler that does as little as possible: it looks at the message and completes it.</summary>
internal sealed class LookingHandler : IMessageHandler<Keys.KeyMessage>
{
    public ValueTask<Settlement> HandleAsync(Keys.KeyMessage message, MessageInfo info, CancellationToken cancellationToken) =>
        new(message.MessageId is null ? Settlement.DeadLetter("no-id", "The message has no id.") : Settlement.Complete);
}
