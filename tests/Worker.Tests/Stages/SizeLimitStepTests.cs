using Messaging.Stages;
using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Settlements;
using Worker.Tests.Intake;

namespace Worker.Tests.Stages;

public sealed class SizeLimitStepTests
{
    private readonly SizeLimitStep _step = new(new StagesOptions { MaxMessageBytes = 100 });

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(100)]
    public async Task Before_WithinTheLimit_ContinuesUndecided(int bytes)
    {
        PhysicalContext context = new() { Message = new TestMessage { Bytes = new byte[bytes] } };

        (await _step.BeforeAsync(context)).ShouldBe(StepOutcome.Continue);

        context.Settlement.IsDecided.ShouldBeFalse();
    }

    [Fact]
    public async Task Before_AboveTheLimit_IsDeadLetteredAndTheChainStops()
    {
        PhysicalContext context = new() { Message = new TestMessage { Bytes = new byte[101] } };

        (await _step.BeforeAsync(context)).ShouldBe(StepOutcome.Stop);

        context.Settlement.ShouldBe(Settlement.DeadLetter("too-large", "The body has 101 bytes; Stages:MaxMessageBytes allows 100."));
    }
}
