using Pipeline.Tests.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Execution;
using Quayside.Pipeline.Settlements;

namespace Pipeline.Tests.Execution;

/// <summary>The rest of the chain is a value: a part may call it never, once, repeatedly, nested, or for several contexts.</summary>
public abstract partial class PipelineFormContract
{
    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_NextCalledTwice_TheRestRunsTwice(Timing timing)
    {
        OuterContext context = new();
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a", timing))
            .Behavior(Part.Outer("b", async (_, next) =>
            {
                await next();
                await next();
            }))
            .Steps(Part.Step("c", timing))
            .End(Form, Part.Terminator(timing));

        (await pipeline.RunAsync(context)).ShouldBeNull();

        context.ToString().ShouldBe("a> b( c> t <c c> t <c )b <a");
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_NextCalledAgainAfterAFailure_TheSecondTryCounts(Timing timing)
    {
        OuterContext context = new();
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a", timing))
            .Behavior(Part.Outer("b", async (_, next) =>
            {
                try
                {
                    await next();
                }
                catch (PartException)
                {
                    await next();
                }
            }))
            .Steps(Part.Step("c", timing))
            .End(Form, Part.Terminator(timing, own =>
            {
                if (own.State++ == 0)
                {
                    throw new PartException("x");
                }
            }));

        (await pipeline.RunAsync(context)).ShouldBeNull();

        context.ToString().ShouldBe("a> b( c> t c!(x) c> t <c )b <a");
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_NestedRetries_EachLevelRepeatsWhatIsBehindIt(Timing timing)
    {
        OuterContext context = new();
        Func<OuterContext, Func<ValueTask>, ValueTask> twice = async (_, next) =>
        {
            await next();
            await next();
        };
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Behavior(Part.Outer("a", twice))
            .Behavior(Part.Outer("b", twice))
            .Steps(Part.Step("c", timing))
            .End(Form, Part.Terminator(timing));

        (await pipeline.RunAsync(context)).ShouldBeNull();

        context.ToString().ShouldBe("a( b( c> t <c c> t <c )b b( c> t <c c> t <c )b )a");
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_FromWithinItself_BothMessagesFinish(Timing timing)
    {
        OuterContext outer = new();
        OuterContext nested = new();
        IPipeline<OuterContext>? pipeline = null;
        pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a", timing))
            .Behavior(Part.Outer("b", async (own, next) =>
            {
                if (ReferenceEquals(own, outer))
                {
                    await pipeline!.InvokeAsync(nested);
                }

                await next();
            }))
            .Steps(Part.Step("c", timing))
            .End(Form, Part.Terminator(timing));

        (await pipeline.RunAsync(outer)).ShouldBeNull();

        outer.ToString().ShouldBe("a> b( c> t <c )b <a");
        nested.ToString().ShouldBe("a> b( c> t <c )b <a");
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_Connector_ChangesTheContextForTheRestOnly(Timing timing)
    {
        OuterContext context = new();
        List<TracedContext> seen = [];
        ScriptedStep Watcher(string name) => new(name) { Timing = timing, Before = seen.Add, After = seen.Add };
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Watcher("a"))
            .Connector(Part.Connector("c"))
            .InnerSteps(Watcher("d"))
            .EndInner(Form, Part.Terminator(timing, seen.Add));

        (await pipeline.RunAsync(context)).ShouldBeNull();

        context.ToString().ShouldBe("a> c( d> t <d )c <a");
        seen.Select(c => c.GetType().Name).ShouldBe(["OuterContext", "InnerContext", "InnerContext", "InnerContext", "OuterContext"]);
        seen[1].ShouldBeSameAs(seen[2]);
        seen[1].ShouldBeSameAs(seen[3]);
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_Fork_RunsTheRestForEachPartAndJoinsTheSettlements(Timing timing)
    {
        OuterContext context = new();
        Settlement[] fates = [Settlement.Complete, Settlement.DeadLetter("bad", "row 2"), Settlement.Complete];
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a", timing))
            .Fork(new RowFork(fates.Length, concurrently: false))
            .InnerSteps(Part.Step("d", timing))
            .EndInner(Form, Part.Terminator(timing, own =>
            {
                own.Add(own.State.ToString());
                own.Settlement = fates[own.State];
            }));

        (await pipeline.RunAsync(context)).ShouldBeNull();

        context.ToString().ShouldBe("a> d> t 0 <d d> t 1 <d d> t 2 <d <a");
        context.Settlement.ShouldBe(fates[1]);
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_ForkWithContextsInParallel_EachPartKeepsItsOwn(Timing timing)
    {
        const int Parts = 32;
        OuterContext context = new();
        int[] seen = new int[Parts];
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Fork(new RowFork(Parts, concurrently: true))
            .InnerSteps(new ScriptedStep("d")
            {
                Timing = timing,
                Before = own => own.State += Parts,
                After = own => own.State -= Parts,
            })
            .EndInner(Form, Part.Terminator(timing, own =>
            {
                Interlocked.Increment(ref seen[own.State - Parts]);
                own.Settlement = Settlement.Complete;
            }));

        (await pipeline.RunAsync(context)).ShouldBeNull();

        seen.ShouldAllBe(count => count == 1);
        context.Settlement.ShouldBe(Settlement.Complete);
    }

    [Fact]
    public async Task Invoke_EmptyFork_TheRestNeverRuns()
    {
        OuterContext context = new();
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a"))
            .Fork(new RowFork(0, concurrently: false))
            .EndInner(Form, Part.Terminator());

        (await pipeline.RunAsync(context)).ShouldBeNull();

        context.ToString().ShouldBe("a> <a");
    }

    /// <summary>Runs the rest for each row with its own context, sequentially or in parallel, and joins the settlements.</summary>
    private sealed class RowFork(int rows, bool concurrently) : IFork<OuterContext, InnerContext>
    {
        public async ValueTask InvokeAsync(OuterContext context, Next<InnerContext> next)
        {
            InnerContext[] parts = [.. Enumerable.Range(0, rows).Select(row => new InnerContext
            {
                State = row,
                Trace = concurrently ? [] : context.Trace,
            })];
            if (concurrently)
            {
                await Task.WhenAll(parts.Select(part => next.InvokeAsync(part).AsTask()));
            }
            else
            {
                foreach (InnerContext part in parts)
                {
                    await next.InvokeAsync(part);
                }
            }

            context.Settlement = parts.Aggregate(Settlement.Complete, (joined, part) => Settlement.Combine(joined, part.Settlement));
        }
    }
}
