using Pipeline.Tests.Parts;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Execution;

namespace Pipeline.Tests.Generators.Combinations;

/// <summary>Generated nodes behave like the Closure form, for every combination of a step's methods, every timing and every thrower.</summary>
public sealed class GeneratedNodeTests
{
    private static readonly Combination[] Combinations = [.. Enumerable.Range(0, 8).Select(value => (Combination)value)];

    public static TheoryData<Combination, PipelineForm> CombinationsAndForms =>
        new(from combination in Combinations from form in PipelineForm.All where form != PipelineForm.Closure select (combination, form));

    [Theory]
    [MemberData(nameof(CombinationsAndForms))]
    public async Task Invoke_StepBetweenBehaviors_SameAsClosure(Combination combination, PipelineForm form) =>
    await ShouldEqualClosureAsync(form, (builder, scenario) => builder
        .Step<OuterContext>(Part.Step("o"))
        .Behavior(Part.Outer("b"))
        .Step(CombinedStep.Of(combination, "x", scenario))
        .Behavior(Part.Outer("c")));

    [Theory]
    [MemberData(nameof(CombinationsAndForms))]
    public async Task Invoke_StepBeforeTheTerminator_SameAsClosure(Combination combination, PipelineForm form) =>
        await ShouldEqualClosureAsync(form, (builder, scenario) => builder.Step(CombinedStep.Of(combination, "x", scenario)));

    [Theory]
    [MemberData(nameof(CombinationsAndForms))]
    public async Task Invoke_StepAmongSteps_SameAsClosure(Combination combination, PipelineForm form) =>
    await ShouldEqualClosureAsync(form, (builder, scenario) =>
    {
        foreach (Combination other in Combinations)
        {
            builder
                .Step(CombinedStep.Of(other, $"{other}", scenario with { Event = scenario.RestThrows ? Event.RestThrows : Event.Nothing }))
                .Step(CombinedStep.Of(combination, $"x{other}", scenario));
        }

        return builder;
    });

    [Theory]
    [MemberData(nameof(CombinationsAndForms))]
    public async Task Invoke_StepsAlikeInARow_SameAsClosure(Combination combination, PipelineForm form) =>
    await ShouldEqualClosureAsync(form, (builder, scenario) => builder
        .Step<OuterContext>(Part.Step("o"))
        .Behavior(Part.Outer("b"))
        .Step(CombinedStep.Of(combination, "x", scenario with { Event = scenario.RestThrows ? Event.RestThrows : Event.Nothing }))
        .Step(CombinedStep.Of(combination, "y", scenario))
        .Step(CombinedStep.Of(combination, "z", scenario with { Event = scenario.RestThrows ? Event.RestThrows : Event.Nothing })));

    [Fact]
    public void Description_CombinedSteps_HaveNodesOfTheirOwn()
    {
        Scenario scenario = new(Timing.Synchronous, Timing.Synchronous, Event.Nothing);
        PipelineBuilder<OuterContext> builder = new("combined");
        foreach (Combination combination in Combinations)
        {
            builder.Step(CombinedStep.Of(combination, "x", scenario));
        }

        string[] steps = [
            .. builder.Terminator<OuterContext>(Part.Terminator()).Build(PipelineForm.Precompiled).Description
                .Split('\n')
                .Where(line => line.Contains(" step ", StringComparison.Ordinal))];

        steps.Length.ShouldBe(Combinations.Length);
        steps.ShouldAllBe(step => !step.Contains("shared node", StringComparison.Ordinal));
    }

    [Fact]
    public void Description_PartsOfTheContract_HaveNodesWhereTheirContextIsTheStages()
    {
        string[] parts = [.. new PipelineBuilder<OuterContext>("contract")
            .Behavior(Part.Outer("x"), "Outer")
            .Step<OuterContext>(Part.Step("x"), "AnyContext")
            .Connector(Part.Connector("x"), "Connector")
            .Behavior(Part.Inner("x"), "Inner")
            .Terminator<InnerContext>(Part.Terminator(), "AnyContext")
            .Build(PipelineForm.Precompiled).Description.Split('\n').Where(line => line.StartsWith("    ", StringComparison.Ordinal))];

        parts.Count(line => line.Contains("AnyContext", StringComparison.Ordinal)).ShouldBe(2);
        parts.ShouldAllBe(line => line.Contains("shared node", StringComparison.Ordinal) == line.Contains("AnyContext", StringComparison.Ordinal));
    }

    private static async Task ShouldEqualClosureAsync(PipelineForm form, Func<PipelineBuilder<OuterContext>, Scenario, PipelineBuilder<OuterContext>> add)
    {
        foreach (Scenario scenario in Scenario.All)
        {
            string expected = await RunAsync(PipelineForm.Closure, scenario, add);
            string actual = await RunAsync(form, scenario, add);

            actual.ShouldBe(expected, $"{scenario}");
        }
    }

    private static async Task<string> RunAsync(
        PipelineForm form, Scenario scenario, Func<PipelineBuilder<OuterContext>, Scenario, PipelineBuilder<OuterContext>> add)
    {
        OuterContext context = new();
        IPipeline<OuterContext> pipeline = add(ChainBuilding.Chain(), scenario)
            .End(form, Part.Terminator(scenario.Rest, scenario.RestThrows ? _ => throw scenario.RestException : null));

        Exception? exception = await pipeline.RunAsync(context);

        string end = exception is null
            ? "returned"
            : ReferenceEquals(exception, scenario.RestException)
            ? "the rest's exception"
            : $"{exception.GetType().Name}:{exception.Message}";
        return $"{context} | {end}";
    }
}
