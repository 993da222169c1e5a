using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;

namespace Worker.Tests.Intake;

internal sealed class DelegateTerminator(Func<PhysicalContext, ValueTask> handler) : ITerminator<PhysicalContext>
{
    public ValueTask InvokeAsync(PhysicalContext context) => handler(context);
}
