using Pipeline.Building;
using Pipeline.Execution;
using Pipeline.Frames;
using Tests.Shared;

namespace Pipeline.Tests.Allocations;

/// <summary>
/// The allocation contract: bytes per message for every form and kind of part, without a suspension and with a real suspension
/// in the innermost part, at 1 and 1,000 messages in flight. Every part is a distinct type. One thread, so the
/// counts are exact.
/// </summary>
[Collection(AllocationCollection.Name)]
public sealed class PipelineAllocationTests
{
    private const int MaxInFlight = 1_000;
    private const int MaxParts = 40;

    // Enough calls for both JIT tiers (30 calls, then a background compilation), so that the measurement excludes the JIT.
    private const int WarmUpMessages = 2_000;
    private const int Messages = 3_000;

    public PipelineAllocationTests() => PooledFrames.Reserve(MaxInFlight * (MaxParts + 1));

    public static TheoryData<string, MeasuredPart, int> Synchronous
    {
        get
        {
            TheoryData<string, MeasuredPart, int> data = [];
            foreach (PipelineForm form in PipelineForm.All)
            {
                foreach (MeasuredPart part in Enum.GetValues<MeasuredPart>())
                {
                    foreach (int depth in (int[])[1, MaxParts])
                    {
                        data.Add(form.Name, part, depth);
                    }
                }
            }

            return data;
        }
    }

    public static TheoryData<string, MeasuredPart, int, int> Suspending
    {
        get
        {
            TheoryData<string, MeasuredPart, int, int> data = [];
            foreach (PipelineForm form in PipelineForm.All)
            {
                foreach (MeasuredPart part in Enum.GetValues<MeasuredPart>())
                {
                    foreach (int depth in (int[])[1, MaxParts])
                    {
                        data.Add(form.Name, part, depth, 1);
                        data.Add(form.Name, part, depth, MaxInFlight);
                    }
                }
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Synchronous))]
    public void Invoke_NothingSuspends_AllocatesAsTheContractSays(string form, MeasuredPart part, int depth)
    {
        double bytes = BytesPerMessage(form, part, depth, hops: false, inFlight: 1);

        if (form == PipelineForm.Closure.Name)
        {
            bytes.ShouldBeInRange(64 * depth, 400 * (depth + 1), "the cost of the closure form; otherwise the measurement counts nothing");
        }
        else
        {
            bytes.ShouldBe(0);
        }
    }

    [Theory]
    [MemberData(nameof(Suspending))]
    public void Invoke_InnermostSuspends_AllocatesAsTheContractSays(string form, MeasuredPart part, int depth, int inFlight)
    {
        double bytes = BytesPerMessage(form, part, depth, hops: true, inFlight);

        if (form == PipelineForm.Closure.Name)
        {
            bytes.ShouldBeInRange(150 * depth, 600 * (depth + 1), "the cost of the closure form; otherwise the measurement counts nothing");
        }
        else if (part == MeasuredPart.PlainBehavior)
        {
            bytes.ShouldBeInRange(100 * depth, 160 * depth, "the parts' own state machines and nothing else");
        }
        else
        {
            bytes.ShouldBe(0);
        }
    }

    private static double BytesPerMessage(string form, MeasuredPart part, int depth, bool hops, int inFlight)
    {
        PipelineForm.TryParse(form, out PipelineForm? found).ShouldBeTrue();
        PipelineBuilder<MeasuredContext> builder = new("measured");
        Add<Zero>(builder, part, depth);
        IPipeline<MeasuredContext> pipeline = builder.Terminator(new MeasuredTerminator()).Build(found);
        MeasuredContext[] contexts = [.. Enumerable.Range(0, inFlight).Select(_ => new MeasuredContext { Hops = hops })];
        ValueTask[] running = new ValueTask[inFlight];
        Run(pipeline, contexts, running, WarmUpMessages);
        foreach (MeasuredContext context in contexts)
        {
            context.Count = 0;
        }

        int messages = 0;
        long min = MinBytes.OfThread(() => messages += Run(pipeline, contexts, running, Messages));

        contexts.Sum(context => context.Count).ShouldBe(messages * ((2 * depth) + 1), "every part must have run");
        return (double)min / Messages;
    }

    private static int Run(IPipeline<MeasuredContext> pipeline, MeasuredContext[] contexts, ValueTask[] running, int messages)
    {
        int sent = 0;
        while (sent < messages)
        {
            for (int i = 0; i < contexts.Length; i++)
            {
                running[i] = pipeline.InvokeAsync(contexts[i]);
                if (running[i].IsCompleted == contexts[i].Hops)
                {
                    throw new InvalidOperationException("A chain suspends exactly when its innermost part does.");
                }
            }

            for (int i = 0; i < contexts.Length; i++)
            {
                if (contexts[i].Hops)
                {
                    contexts[i].Resume();
                }

                running[i].GetAwaiter().GetResult();
            }

            sent += contexts.Length;
        }

        return sent;
    }

    private static void Add<TNumber>(PipelineBuilder<MeasuredContext> builder, MeasuredPart part, int left)
        where TNumber : struct
    {
        if (left == 0)
        {
            return;
        }

        switch (part == MeasuredPart.Mixed ? (MeasuredPart)(left % (int)MeasuredPart.PlainBehavior) : part)
        {
            case MeasuredPart.Step:
                builder.Step(new MeasuredStep<TNumber>());
                break;
            case MeasuredPart.HandlingStep:
                builder.Step(new MeasuredHandlingStep<TNumber>());
                break;
            case MeasuredPart.ReturningBehavior:
                builder.Behavior(new ReturningBehavior<TNumber>());
                break;
            case MeasuredPart.FastPathBehavior:
                builder.Behavior(new FastPathBehavior<TNumber>());
                break;
            case MeasuredPart.PooledBehavior:
                builder.Behavior(new PooledBehavior<TNumber>());
                break;
            default:
                builder.Behavior(new PlainBehavior<TNumber>());
                break;
        }

        Add<Successor<TNumber>>(builder, part, left - 1);
    }
}
