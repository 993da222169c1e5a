using Quayside.Pipeline.Behaviors;

namespace Pipeline.Tests.Allocations;

internal sealed class MeasuredTerminator : ITerminator<MeasuredContext>
{
    public ValueTask InvokeAsync(MeasuredContext context) => context.EndAsync();
}
