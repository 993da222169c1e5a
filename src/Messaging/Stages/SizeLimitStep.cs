using Messaging.Configuration;
using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Settlements;

namespace Messaging.Stages;

/// <summary>Dead-letters messages with bodies above the limit before another part reads them.</summary>
internal sealed class SizeLimitStep(StagesOptions options) : IStep<PhysicalContext>
{
    public const string Reason = "too-large";

    private readonly long _limit = options.MaxMessageBytes;

    public ValueTask<StepOutcome> BeforeAsync(PhysicalContext context)
    {
        int length = context.Message.Body.Length;
        if (length <= _limit)
        {
            return new(StepOutcome.Continue);
        }

        context.Settlement = Settlement.DeadLetter(Reason, $"The body has {length} bytes; Stages:MaxMessageBytes allows {_limit}.");
        return new(StepOutcome.Stop);
    }
}

/// <summary>Section <c>Stages</c>: the first parts of every route's pipeline.</summary>
internal sealed class StagesOptions
{
    [Setting("Largest body that a route accepts; a message with a larger one is dead-lettered as too-large", Bytes = true, Min = "1", Max = "256MiB", Consequence = "Every slot may hold one body of this size.")]
    public long MaxMessageBytes { get; set; } = 1L << 20;
}
