using Pipeline.Tests.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Settlements;

namespace Pipeline.Tests.Execution.RandomChains;

internal sealed class RandomTerminator(Deed deed) : ITerminator<TracedContext>
{
    public ValueTask InvokeAsync(TracedContext context) => Part.Run(deed.Timing, () =>
    {
        context.Add("t");

        // Fails for every second trace length, so that a retry may end differently from the first attempt.
        if (context.Trace.Count % 2 == 0)
        {
            deed.ThrowIfFault("t");
        }

        context.Settlement = Settlement.Complete;
    });
}
