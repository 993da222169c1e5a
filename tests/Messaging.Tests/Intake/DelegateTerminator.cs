using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;

namespace Messaging.Tests.Intake;

internal sealed class DelegateTerminator(Func<MessageContext, ValueTask> handler) : ITerminator<MessageContext>
{
    public ValueTask InvokeAsync(MessageContext context) => handler(context);
}
