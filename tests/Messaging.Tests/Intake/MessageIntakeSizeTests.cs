using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Intake;

public sealed class MessageIntakeSizeTests
{
    private int _handled;

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(100)]
    public async Task Accept_WithinTheLimit_ReachesThePipeline(int bytes)
    {
        await using IntakeFixture fixture = new(HandleAsync, maxMessageBytes: 100);

        (await fixture.RunAsync(new TestMessage { Bytes = new byte[bytes] })).Kind.ShouldBe(SettlementKind.Complete);

        _handled.ShouldBe(1);
    }

    [Fact]
    public async Task Accept_AboveTheLimit_IsDeadLetteredBeforeThePipeline()
    {
        await using IntakeFixture fixture = new(HandleAsync, maxMessageBytes: 100);

        (await fixture.RunAsync(new TestMessage { Bytes = new byte[101] })).ShouldBe(
            Settlement.DeadLetter("too-large", "The body has 101 bytes; Stages:MaxMessageBytes allows 100."));

        _handled.ShouldBe(0);
        fixture.Metrics.Totals.DeadLetters.ShouldBe(1);
    }

    private ValueTask HandleAsync(MessageContext context)
    {
        _handled++;
        return IntakeFixture.CompleteAsync(context);
    }
}
