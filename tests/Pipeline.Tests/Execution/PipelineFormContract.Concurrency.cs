using Pipeline.Tests.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Execution;

namespace Pipeline.Tests.Execution;

/// <summary>One composed chain with many messages in flight; every task that a part returns is consumed exactly once.</summary>
public abstract partial class PipelineFormContract
{
    private const int InFlight = 64;

    [Fact]
    public async Task Invoke_ManyInFlightWithRandomHops_EachSeesOnlyItsOwnState()
    {
        IPipeline<OuterContext> pipeline = Mixed();

        OuterContext[] contexts = [.. Enumerable.Range(0, 20 * InFlight).Select(i => new OuterContext { State = i * 1_000 })];
        foreach (OuterContext[] wave in contexts.Chunk(InFlight))
        {
            Exception?[] outcomes = await Task.WhenAll(wave.Select(context => Task.Run(() => pipeline.RunAsync(context))));
            outcomes.ShouldAllBe(outcome => outcome == null);
        }

        for (int i = 0; i < contexts.Length; i++)
        {
            contexts[i].State.ShouldBe(i * 1_000);
            contexts[i].ToString().ShouldBe("a> b( c> d> t <d <c )b <a");
        }
    }

    [Fact]
    public void Invoke_FromManyThreadsConcurrently_EachMessageRunsComplete()
    {
        const int Threads = 8;
        const int Messages = 500;
        IPipeline<OuterContext> pipeline = Mixed();
        using Barrier start = new(Threads);
        int complete = 0;
        Thread[] threads = [.. Enumerable.Range(0, Threads).Select(_ => new Thread(() =>
        {
            start.SignalAndWait();
            for (int i = 0; i < Messages; i++)
            {
                OuterContext context = new() { State = i };
                bool ran = pipeline.RunAsync(context).GetAwaiter().GetResult() is null;
                if (ran && context.State == i && context.ToString() == "a> b( c> d> t <d <c )b <a")
                {
                    Interlocked.Increment(ref complete);
                }
            }
        }) { IsBackground = true })];

        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join(TimeSpan.FromSeconds(30)).ShouldBeTrue());

        complete.ShouldBe(Threads * Messages);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Invoke_PartsReturnReusableTaskSources_EachResultIsReadExactlyOnce(bool completed)
    {
        SourceStep step = new(completed);
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Step<OuterContext>(step)
            .Behavior(Part.Outer("b"))
            .Step<OuterContext>(step)
            .Terminator<OuterContext>(step)
            .Build(Form);

        (await pipeline.RunAsync(new OuterContext())).ShouldBeNull();

        step.Sources.Count.ShouldBe(5);
        step.Sources.ShouldAllBe(source => source.TimesRead == 1);
    }

    /// <summary>Every part checks the number that the previous part left in the context.</summary>
    private IPipeline<OuterContext> Mixed()
    {
        return ChainBuilding.Chain()
            .Step<OuterContext>(new RandomHopStep("a", 1))
            .Behavior(Part.Outer("b", async (own, next) =>
            {
                int state = own.State;
                await RandomHopStep.MaybeHopAsync(state);
                await next();
                own.State.ShouldBe(state);
            }))
            .Step<OuterContext>(new RandomHopStep("c", 2))
            .Step<OuterContext>(new RandomHopStep("d", 3))
            .End(Form, Part.Terminator(Timing.AfterHop));
    }

    /// <summary>Hops or not, depending on the message's own number, so that paths mix without a shared random source.</summary>
    private sealed class RandomHopStep(string name, int salt) : IStep<OuterContext>
    {
        public static async ValueTask MaybeHopAsync(int seed)
        {
            if (unchecked((seed * 2_654_435_761L) >> 16) % 2 == 0)
            {
                await Task.Yield();
            }
        }

        public async ValueTask<StepOutcome> BeforeAsync(OuterContext context)
        {
            context.Add($"{name}>");
            context.State += salt;
            await MaybeHopAsync(context.State);
            return StepOutcome.Continue;
        }

        public async ValueTask AfterAsync(OuterContext context)
        {
            await MaybeHopAsync(context.State * salt);
            context.State -= salt;
            context.Add($"<{name}");
        }
    }

    /// <summary>Returns tasks that may be read only once, as pooled ones may.</summary>
    private sealed class SourceStep(bool completed) : IStep<OuterContext>, ITerminator<OuterContext>
    {
        public List<OnceReadSource> Sources { get; } = [];

        public ValueTask<StepOutcome> BeforeAsync(OuterContext context) => Make().TaskOfOutcome;

        public ValueTask AfterAsync(OuterContext context) => Make().Task;

        public ValueTask InvokeAsync(OuterContext context) => Make().Task;

        private OnceReadSource Make()
        {
            OnceReadSource source = new(completed);
            Sources.Add(source);
            return source;
        }
    }
}
