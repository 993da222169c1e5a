using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Intake;

/// <summary>Settlements that do not end are found, named and reported.</summary>
public sealed class MessageIntakeWatchingTests
{
    [Theory]
    [InlineData(SettlementKind.Complete)]
    [InlineData(SettlementKind.DeadLetter)]
    [InlineData(SettlementKind.Abandon)]
    public async Task Settlement_DoesNotEnd_IsLoggedAndThenAProblem(SettlementKind kind)
    {
        TaskCompletionSource gate = new();
        await using IntakeFixture fixture = new(context =>
        {
            context.Settlement = kind switch
            {
                SettlementKind.Complete => Settlement.Complete,
                SettlementKind.DeadLetter => Settlement.DeadLetter("bad", "bad"),
                _ => Settlement.Abandon(TimeSpan.Zero),
            };
            return default;
        });
        await fixture.RunAsync(new TestMessage { OnSettle = () => new ValueTask(gate.Task) });
        fixture.Time.Advance(TimeSpan.FromSeconds(1));
        fixture.Time.Advance(TimeSpan.FromSeconds(9));
        fixture.Logger.Of(5009).ShouldBeEmpty();

        fixture.Time.Advance(TimeSpan.FromSeconds(5));
        fixture.Logger.Of(5009).ShouldHaveSingleItem().Text.ShouldStartWith(
            "Route test: 1 settlement(s) of messages of source have been running for more than 10 s");
        fixture.Intake.Reports.Timeouts.SlowSettlements.ShouldBe(1);
        fixture.Intake.Reports.Problem.ShouldBeNull();
        fixture.Intake.Reports.Warnings.ShouldHaveSingleItem().Text.ShouldContain("of the source source have not ended, the oldest after more than 10 s");

        fixture.Time.Advance(TimeSpan.FromSeconds(20));
        RouteProblem problem = fixture.Intake.Reports.Problem.ShouldNotBeNull();
        (problem.Event, problem.Setting).ShouldBe((5009, "Sources:source"));
        problem.Text
            .ShouldStartWith("1 settlement(s) of messages of the source source have not ended, the oldest after more than 30 s");
        fixture.Intake.Reports.Warnings.ShouldBeEmpty();
        fixture.Logger.Of(5009).ShouldHaveSingleItem("throttled");

        gate.SetResult();
        await fixture.DrainAsync();
        fixture.Time.Advance(TimeSpan.FromSeconds(1));
        fixture.Intake.Reports.Problem.ShouldBeNull();
        fixture.Intake.Reports.Timeouts.SlowSettlements.ShouldBe(0);
    }

    [Fact]
    public async Task Settlement_WaitsForItsDelay_IsNotSlow()
    {
        TaskCompletionSource gate = new();
        await using IntakeFixture fixture = new(context =>
        {
            context.Settlement = Settlement.Abandon(TimeSpan.FromMinutes(1));
            return default;
        });
        await fixture.RunAsync(new TestMessage { OnSettle = () => new ValueTask(gate.Task) });
        fixture.Time.Advance(TimeSpan.FromSeconds(1));

        fixture.Time.Advance(TimeSpan.FromMinutes(1));

        fixture.Intake.Reports.Timeouts.SlowSettlements.ShouldBe(0);
        gate.SetResult();
    }
}
