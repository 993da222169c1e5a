using System.Collections.Concurrent;
using Pipeline.Tests.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Execution;
using Quayside.Pipeline.Settlements;

namespace Pipeline.Tests.Execution;

/// <summary>Exceptions: which parts see them, and which exception the caller gets.</summary>
public abstract partial class PipelineFormContract
{
    public static TheoryData<Exception, Timing> Exceptions
    {
        get
        {
            TheoryData<Exception, Timing> data = [];
            foreach (Timing timing in Part.Timings)
            {
                data.Add(new PartException("x"), timing);
                data.Add(new InvalidOperationException("x"), timing);
                data.Add(new OperationCanceledException("x"), timing);
                data.Add(new TaskCanceledException("x"), timing);
                data.Add(new TransientException("x"), timing);
                data.Add(new DeadLetterException("reason", "x"), timing);
                data.Add(new AggregateException("x", new PartException("inner")), timing);
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Exceptions))]
    public async Task Invoke_TerminatorThrows_SameInstanceComesOutAndEveryOnErrorSeesIt(Exception thrown, Timing timing)
    {
        OuterContext context = new();
        ConcurrentQueue<Exception> seen = [];
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Observer("a"), Observer("b"))
            .Behavior(Part.Outer("c"))
            .Steps(Observer("d"))
            .End(Form, Part.Terminator(timing, _ => throw thrown));

        (await pipeline.RunAsync(context)).ShouldBeSameAs(thrown);

        seen.Count.ShouldBe(3);
        seen.ShouldAllBe(exception => ReferenceEquals(exception, thrown));
        context.Trace.Where(entry => entry.Contains('!')).Select(entry => entry[0]).ShouldBe(['d', 'b', 'a']);
        context.Trace.ShouldNotContain(entry => entry[0] == '<' || entry[0] == ')');

        ScriptedStep Observer(string name) => new(name)
        {
            Timing = timing,
            OnError = exception =>
            {
                seen.Enqueue(exception);
                return ErrorOutcome.Rethrow;
            },
        };
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_BeforeOrAfterThrows_OnlyOuterStepsSeeIt(Timing timing)
    {
        foreach ((ScriptedStep thrower, string expected) in new[]
        {
            (new ScriptedStep("b") { Timing = timing, Before = _ => throw new PartException("x") }, "a> b> a!(x)"),
            (new ScriptedStep("b") { Timing = timing, After = _ => throw new PartException("x") }, "a> b> c> t <c <b a!(x)"),
        })
        {
            OuterContext context = new();
            IPipeline<OuterContext> pipeline =
                ChainBuilding.Chain().Steps(Part.Step("a", timing), thrower, Part.Step("c", timing)).End(Form, Part.Terminator(timing));

            (await pipeline.RunAsync(context)).ShouldBeOfType<PartException>();

            context.ToString().ShouldBe(expected);
        }
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_BehaviorThrowsBeforeNext_OnlyOuterPartsSeeIt(Timing timing)
    {
        OuterContext context = new();
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a"))
            .Behavior(Part.Outer("b", (_, _) => Part.Run(timing, () => throw new PartException("x"))))
            .Steps(Part.Step("c"))
            .End(Form, Part.Terminator());

        (await pipeline.RunAsync(context)).ShouldBeOfType<PartException>();

        context.ToString().ShouldBe("a> b( a!(x)");
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_BehaviorThrowsAfterNext_InnerAftersHaveRun(Timing timing)
    {
        OuterContext context = new();
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a"))
            .Behavior(Part.Outer("b", async (_, next) =>
            {
                await next();
                await Part.Run(timing, () => throw new PartException("x"));
            }))
            .Steps(Part.Step("c"))
            .End(Form, Part.Terminator());

        (await pipeline.RunAsync(context)).ShouldBeOfType<PartException>();

        context.ToString().ShouldBe("a> b( c> t <c a!(x)");
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_StepHandlesTheError_OuterPartsSeeANormalReturn(Timing timing)
    {
        OuterContext context = new();
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a", timing))
            .Behavior(Part.Outer("b"))
            .Steps(new ScriptedStep("c") { Timing = timing, OnError = _ => ErrorOutcome.Handled }, Part.Step("d", timing))
            .End(Form, Part.Terminator(timing, _ => throw new PartException("x")));

        (await pipeline.RunAsync(context)).ShouldBeNull();

        context.ToString().ShouldBe("a> b( c> d> t d!(x) c!(x) )b <a");
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_OnErrorThrowsItself_OuterStepsSeeTheNewException(Timing timing)
    {
        OuterContext context = new();
        PartException replacement = new("y");
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a", timing), new ScriptedStep("b") { Timing = timing, OnError = _ => throw replacement })
            .End(Form, Part.Terminator(timing, _ => throw new InvalidOperationException("x")));

        (await pipeline.RunAsync(context)).ShouldBeSameAs(replacement);

        context.ToString().ShouldBe("a> b> t b!(x) a!(y)");
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_BehaviorCatches_OuterPartsSeeANormalReturn(Timing timing)
    {
        OuterContext context = new();
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a", timing))
            .Behavior(Part.Outer("b", async (own, next) =>
            {
                try
                {
                    await next();
                }
                catch (PartException exception)
                {
                    own.Add($"caught {exception.Message}");
                }
            }))
            .Steps(Part.Step("c", timing))
            .End(Form, Part.Terminator(timing, _ => throw new PartException("x")));

        (await pipeline.RunAsync(context)).ShouldBeNull();

        context.ToString().ShouldBe("a> b( c> t c!(x) caught x )b <a");
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_ThrowBehindAConnector_StepsOfBothStagesSeeIt(Timing timing)
    {
        OuterContext context = new();
        PipelineBuilder<OuterContext> builder = ChainBuilding.Chain()
            .Steps(Part.Step("a", timing))
            .Connector(Part.Connector("c"))
            .InnerSteps(Part.Step("d", timing));

        (await builder.EndInner(Form, Part.Terminator(timing, _ => throw new PartException("x"))).RunAsync(context)).ShouldBeOfType<PartException>();

        context.ToString().ShouldBe("a> c( d> t d!(x) a!(x)");
    }

    [Theory]
    [MemberData(nameof(Timings))]
    public async Task Invoke_Throws_StackTraceStillNamesTheThrower(Timing timing)
    {
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a", timing), Part.Step("b", timing))
            .End(Form, Part.Terminator(timing, _ => ThrowFromHere()));

        Exception? exception = await pipeline.RunAsync(new OuterContext());

        exception.ShouldNotBeNull().StackTrace.ShouldNotBeNull().ShouldContain(nameof(ThrowFromHere));
    }

    [Fact]
    public async Task Invoke_AfterAFailedMessage_TheNextOneRunsNormally()
    {
        bool fail = true;
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Steps(Part.Step("a", Timing.AfterHop))
            .End(Form, Part.Terminator(Timing.AfterHop, _ =>
            {
                if (fail)
                {
                    throw new PartException("x");
                }
            }));
        (await pipeline.RunAsync(new OuterContext())).ShouldNotBeNull();
        fail = false;
        OuterContext context = new();

        (await pipeline.RunAsync(context)).ShouldBeNull();

        context.ToString().ShouldBe("a> t <a");
    }

    private static void ThrowFromHere() => throw new PartException("x");
}
