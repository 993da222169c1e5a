using Pipeline.Tests.Parts;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Execution;

namespace Pipeline.Tests.Building;

public sealed class PipelineBuilderTests
{
    private const string NoTerminator = "The last part must be a terminator: without one nothing would handle the message.";

    public static TheoryData<PipelineForm> Forms => [.. PipelineForm.All];

    [Fact]
    public void Build_NoParts_SaysThatTheTerminatorIsMissing() =>
        ProblemsOf(Chain()).ShouldBe([NoTerminator]);

    [Fact]
    public void Build_NoTerminator_SaysSo() =>
        ProblemsOf(Chain().Step<OuterContext>(Part.Step("a"))).ShouldBe([NoTerminator]);

    [Fact]
    public void Build_ConnectorLast_SaysThatTheTerminatorIsMissing() =>
        ProblemsOf(Chain().Connector(Part.Connector("c"))).ShouldBe([NoTerminator]);

    [Fact]
    public void Build_PartsBehindTheTerminator_NamesEach() =>
        ProblemsOf(Chain()
            .Terminator<OuterContext>(Part.Terminator(), "End")
            .Step<OuterContext>(Part.Step("a"), "Late")
            .Behavior(Part.Outer("b"), "Later")
            .Terminator<OuterContext>(Part.Terminator(), "Again"))
        .ShouldBe([
            "Part 2 (Late) comes after the terminator and would never run; move it before the terminator.",
            "Part 3 (Later) comes after the terminator and would never run; move it before the terminator.",
            "Part 4 (Again) comes after the terminator and would never run; move it before the terminator.",
        ]);

    [Fact]
    public void Build_InnerStepBeforeTheConnector_AdvisesToMoveItBehind() =>
        ProblemsOf(Chain()
            .Step<InnerContext>(Part.Step("a"), "Early")
            .Connector(Part.Connector("c"), "Parse")
            .Terminator<InnerContext>(Part.Terminator()))
        .ShouldBe(["Part 1 (Early) works on InnerContext, but the stage at its position is OuterContext; move it after the connector Parse."]);

    [Fact]
    public void Build_OuterStepBehindTheConnector_AdvisesToMoveItBefore() =>
        ProblemsOf(Chain()
            .Connector(Part.Connector("c"), "Parse")
            .Step<OuterContext>(Part.Step("a"), "Late")
            .Terminator<InnerContext>(Part.Terminator(), "End"))
        .ShouldBe(["Part 2 (Late) works on OuterContext, but the stage at its position is InnerContext; move it before the first connector."]);

    [Fact]
    public void Build_UnreachableStage_AdvisesToAddAConnector() =>
        ProblemsOf(Chain().Terminator<InnerContext>(Part.Terminator(), "End"))
        .ShouldBe(["Part 1 (End) works on InnerContext, but the stage at its position is OuterContext; add a connector that leads to InnerContext."]);

    [Fact]
    public void Build_TerminatorOfTheWrongStage_NamesBothStages() =>
        ProblemsOf(Chain()
            .Connector(Part.Connector("c"), "Parse")
            .Terminator<OuterContext>(Part.Terminator(), "End"))
        .ShouldBe(["Part 2 (End) works on OuterContext, but the stage at its position is InnerContext; move it before the first connector."]);

    [Fact]
    public void Build_ForkInTheWrongPlace_IsAProblemLikeAConnector() =>
        ProblemsOf(Chain()
            .Connector(Part.Connector("c"), "Parse")
            .Fork(Part.Connector("f"), "Rows")
            .Terminator<InnerContext>(Part.Terminator()))
        .ShouldBe(["Part 2 (Rows) works on OuterContext, but the stage at its position is InnerContext; move it before the first connector."]);

    [Fact]
    public void Build_ConnectorIsMissing_IsReportedOnceForTheWholeStage() =>
        ProblemsOf(Chain()
            .Step<OuterContext>(Part.Step("a"))
            .Step<InnerContext>(Part.Step("b"), "First")
            .Behavior(Part.Inner("c"), "Second")
            .Terminator<InnerContext>(Part.Terminator(), "End"))
        .ShouldBe(["Part 2 (First) works on InnerContext, but the stage at its position is OuterContext; add a connector that leads to InnerContext."]);

    [Fact]
    public void Build_SeveralStepsInTheWrongPlace_EachIsReported() =>
        ProblemsOf(Chain()
            .Step<InnerContext>(Part.Step("a"), "First")
            .Behavior(Part.Inner("b"), "Second")
            .Connector(Part.Connector("c"), "Parse")
            .Terminator<InnerContext>(Part.Terminator(), "End"))
        .ShouldBe([
            "Part 1 (First) works on InnerContext, but the stage at its position is OuterContext; move it after the connector Parse.",
            "Part 2 (Second) works on InnerContext, but the stage at its position is OuterContext; move it after the connector Parse.",
        ]);

    [Fact]
    public void Build_StageThatHasEndedAlready_AdvisesToMoveThePartUp() =>
        ProblemsOf(Chain()
            .Connector(Part.Connector("c"), "Parse")
            .Connector(new ScriptedBehavior<InnerContext, LastContext>("l", _ => new LastContext(), body: null), "Split")
            .Step<InnerContext>(Part.Step("a"), "Late")
            .Terminator<LastContext>(Part.Terminator(), "End"))
        .ShouldBe(
            ["Part 3 (Late) works on InnerContext, but the stage at its position is LastContext; move it up to the stage that the connector Parse opens."]);

    [Fact]
    public void Build_SeveralProblems_AreAllInOneMessage()
    {
        PipelineDefinitionException exception = Should.Throw<PipelineDefinitionException>(() => Chain()
            .Step<InnerContext>(Part.Step("a"), "Early")
            .Connector(Part.Connector("c"), "Parse")
            .Behavior(Part.Outer("b"), "Late")
            .Build(PipelineForm.Precompiled));

        exception.Problems.Count.ShouldBe(3);
        exception.Message.ShouldBe(string.Join(Environment.NewLine, [
            "Pipeline 'test' cannot be composed:",
            "  - Part 1 (Early) works on InnerContext, but the stage at its position is OuterContext; move it after the connector Parse.",
            "  - Part 3 (Late) works on OuterContext, but the stage at its position is InnerContext; move it before the first connector.",
            $"  - {NoTerminator}",
        ]));
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public void Build_RightOrder_Composes(PipelineForm form) =>
        Chain()
            .Step<OuterContext>(Part.Step("a"))
            .Connector(Part.Connector("c"))
            .Behavior(Part.Inner("b"))
            .Terminator<InnerContext>(Part.Terminator())
            .Build(form).ShouldNotBeNull();

    [Fact]
    public void Build_PartWithoutAName_IsCalledAfterItsTypeWithoutArity() =>
        ProblemsOf(Chain().Terminator<OuterContext>(Part.Terminator()).Behavior(Part.Outer("b"))).Single().ShouldStartWith("Part 2 (ScriptedBehavior) ");

    private static PipelineBuilder<OuterContext> Chain() => ChainBuilding.Chain();

    private static IReadOnlyList<string> ProblemsOf(PipelineBuilder<OuterContext> builder) =>
        Should.Throw<PipelineDefinitionException>(() => builder.Build(PipelineForm.Precompiled)).Problems;

    private sealed class LastContext : TracedContext;
}
