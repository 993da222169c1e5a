using Pipeline.Building;
using Pipeline.Execution;

namespace Pipeline.Tests.Allocations;

/// <summary>Bytes a message with parts that complete synchronously. Every part is a type of its own.</summary>
[Collection(AllocationCollection.Name)]
public sealed class PipelineAllocationTests
{
    private const int Messages = 5_000;

    // Past both tiers of the JIT (30 calls, then a background compilation), so that nothing of it falls into the measurement.
    private const int WarmUp = 2_000;

    public static TheoryData<MeasuredPart, int> Chains
    {
        get
        {
            TheoryData<MeasuredPart, int> data = [];
            foreach (MeasuredPart part in Enum.GetValues<MeasuredPart>())
            {
                data.Add(part, 10);
                data.Add(part, 20);
                data.Add(part, 40);
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Chains))]
    public void Invoke_PrecompiledWithSynchronousParts_AllocatesNothing(MeasuredPart part, int depth) =>
        MeasureBytes(PipelineForm.Precompiled, part, depth).ShouldBe(0);

    [Theory]
    [MemberData(nameof(Chains))]
    public void Invoke_Closure_AllocatesForEveryPart(MeasuredPart part, int depth) =>
        MeasureBytes(PipelineForm.Closure, part, depth).ShouldBeGreaterThan(Messages * depth * 64L, "the measurement must see what a closure form costs");

    private static long MeasureBytes(PipelineForm form, MeasuredPart part, int depth)
    {
        PipelineBuilder<MeasuredContext> builder = new("measured");
        Add<Zero>(builder, part, depth);
        IPipeline<MeasuredContext> pipeline = builder.Terminator(new MeasuredTerminator()).Build(form);
        MeasuredContext context = new();
        Run(pipeline, context, WarmUp);
        context.Count = 0;

        long before = GC.GetAllocatedBytesForCurrentThread();
        Run(pipeline, context, Messages);
        long bytes = GC.GetAllocatedBytesForCurrentThread() - before;

        context.Count.ShouldBe(Messages * ((2 * depth) + 1), "every part must have run");
        return bytes;
    }

    private static void Run(IPipeline<MeasuredContext> pipeline, MeasuredContext context, int messages)
    {
        for (int i = 0; i < messages; i++)
        {
            ValueTask task = pipeline.InvokeAsync(context);
            if (!task.IsCompletedSuccessfully)
            {
                throw new InvalidOperationException("A chain of synchronous parts must complete synchronously.");
            }

            task.GetAwaiter().GetResult();
        }
    }

    private static void Add<TNumber>(PipelineBuilder<MeasuredContext> builder, MeasuredPart part, int left)
        where TNumber : struct
    {
        if (left == 0)
        {
            return;
        }

        switch (part == MeasuredPart.Mixed ? (MeasuredPart)(left % 4) : part)
        {
            case MeasuredPart.Step:
                builder.Step(new MeasuredStep<TNumber>());
                break;
            case MeasuredPart.ReturningBehavior:
                builder.Behavior(new ReturningBehavior<TNumber>());
                break;
            case MeasuredPart.FastPathBehavior:
                builder.Behavior(new FastPathBehavior<TNumber>());
                break;
            default:
                builder.Behavior(new AwaitingBehavior<TNumber>());
                break;
        }

        Add<Successor<TNumber>>(builder, part, left - 1);
    }
}
