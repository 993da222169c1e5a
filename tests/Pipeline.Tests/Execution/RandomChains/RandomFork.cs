using Pipeline.Tests.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Settlements;

namespace Pipeline.Tests.Execution.RandomChains;

/// <summary>Runs the rest several times in sequence, each with its own context, and joins the settlements.</summary>
internal sealed class RandomFork(int forks) : IFork<OuterContext, InnerContext>
{
    public async ValueTask InvokeAsync(OuterContext context, Next<InnerContext> next)
    {
        Settlement joined = Settlement.Complete;
        for (int i = 0; i < forks; i++)
        {
            InnerContext inner = InnerContext.Of(context);
            await next.InvokeAsync(inner);
            joined = Settlement.Combine(joined, inner.Settlement);
        }

        context.Settlement = joined;
    }
}
