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
