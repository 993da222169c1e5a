using Quayside.Pipeline.Building;
using Quayside.Pipeline.Execution;
using Quayside.Pipeline.Frames;
using Tests.Shared;

namespace Pipeline.Tests.Allocations;

/// <summary>
/// The allocation contract: bytes per message for every form and kind of part, without a suspension and with a real suspension
/// in the innermost part. Every part is a distinct type. One thread, so the counts are exact. The gate of the benchmarks counts
/// other depths, and up to 1,000 messages in flight.
/// </summary>
[Collection(AllocationCollection.Name)]
public sealed class PipelineAllocationTests
{
    private const int Depth = 40;

    // Enough calls for both JIT tiers (30 calls, then a background compilation), so that the measurement excludes the JIT.
    private const int WarmUpMessages = 2_000;
    private const int Messages = 3_000;

    public PipelineAllocationTests() => PooledFrames.Reserve(Depth + 1);

    public static MatrixTheoryData<string, MeasuredPart> Chains => new(PipelineForm.All.Select(form => form.Name), Enum.GetValues<MeasuredPart>());

    [Theory]
    [MemberData(nameof(Chains))]
    public void Invoke_NothingSuspends_AllocatesAsTheContractSays(string form, MeasuredPart part)
    {
        double bytes = BytesPerMessage(form, part, hops: false);

        if (form == PipelineForm.Closure.Name)
        {
            bytes.ShouldBeInRange(64 * Depth, 400 * (Depth + 1), "the cost of the closure form; otherwise the measurement counts nothing");
        }
        else
        {
            bytes.ShouldBe(0);
        }
    }

    [Theory]
    [MemberData(nameof(Chains))]
    public void Invoke_InnermostSuspends_AllocatesAsTheContractSays(string form, MeasuredPart part)
    {
        double bytes = BytesPerMessage(form, part, hops: true);

        if (form == PipelineForm.Closure.Name)
        {
            bytes.ShouldBeInRange(150 * Depth, 600 * (Depth + 1), "the cost of the closure form; otherwise the measurement counts nothing");
        }
        else if (part == MeasuredPart.PlainBehavior)
        {
            bytes.ShouldBeInRange(100 * Depth, 160 * Depth, "the parts' own state machines and nothing else");
        }
        else
        {
            bytes.ShouldBe(0);
        }
    }

    private static double BytesPerMessage(string form, MeasuredPart part, bool hops)
    {
        PipelineForm.TryParse(form, out PipelineForm? found).ShouldBeTrue();
        PipelineBuilder<MeasuredContext> builder = new("measured");
        Add<Zero>(builder, part, Depth);
        IPipeline<MeasuredContext> pipeline = builder.Terminator(new MeasuredTerminator()).Build(found);
        MeasuredContext context = new() { Hops = hops };
        Run(pipeline, context, WarmUpMessages);
        context.Count = 0;

        int messages = 0;
        long min = MinBytes.OfThread(() => messages += Run(pipeline, context, Messages));

        context.Count.ShouldBe(messages * ((2 * Depth) + 1), "every part must have run");
        return (double)min / Messages;
    }

    private static int Run(IPipeline<MeasuredContext> pipeline, MeasuredContext context, int messages)
    {
        for (int sent = 0; sent < messages; sent++)
        {
            ValueTask running = pipeline.InvokeAsync(context);
            if (running.IsCompleted == context.Hops)
            {
                throw new InvalidOperationException("A chain suspends exactly when its innermost part does.");
            }

            if (context.Hops)
            {
                context.Resume();
            }

            running.GetAwaiter().GetResult();
        }

        return messages;
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
