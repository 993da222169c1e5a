using Pipeline.Tests.Parts;
using Quayside.Pipeline.Behaviors;

namespace Pipeline.Tests.Generators.Combinations;

/// <summary>
/// The methods of every combination. The steps are distinct types, written for exactly the stage's context, so
/// that each has a generated node with only the code of its combination.
/// </summary>
internal abstract class CombinedStep(string name, Scenario scenario) : IStep<OuterContext>
{
    public static CombinedStep Of(Combination combination, string name, Scenario scenario) => combination switch
    {
        Combination.None => new Neither(name, scenario),
        Combination.Before => new BeforeOnly(name, scenario),
        Combination.After => new AfterOnly(name, scenario),
        Combination.OnError => new OnErrorOnly(name, scenario),
        Combination.Before | Combination.After => new BeforeAndAfter(name, scenario),
        Combination.Before | Combination.OnError => new BeforeAndOnError(name, scenario),
        Combination.After | Combination.OnError => new AfterAndOnError(name, scenario),
        _ => new Complete(name, scenario),
    };

    private protected ValueTask<StepOutcome> Enter(OuterContext context) => Part.Run(scenario.Step, () =>
    {
        context.Add($"{name}>");
        ThrowIf(Event.BeforeThrows);
        return scenario.Event == Event.BeforeStops ? StepOutcome.Stop : StepOutcome.Continue;
    });

    private protected ValueTask Leave(OuterContext context) => Part.Run(scenario.Step, () =>
    {
        context.Add($"<{name}");
        ThrowIf(Event.AfterThrows);
    });

    private protected ValueTask<ErrorOutcome> Fail(OuterContext context, Exception exception) => Part.Run(scenario.Step, () =>
    {
        context.Add($"{name}!({exception.Message}{(ReferenceEquals(exception, scenario.RestException) ? ", the same" : string.Empty)})");
        ThrowIf(Event.OnErrorThrows);
        return scenario.Event == Event.OnErrorHandles ? ErrorOutcome.Handled : ErrorOutcome.Rethrow;
    });

    private void ThrowIf(Event happening)
    {
        if (scenario.Event == happening)
        {
            throw new PartException($"{name} {happening}");
        }
    }

    internal sealed class Neither(string name, Scenario scenario) : CombinedStep(name, scenario);

    internal sealed class BeforeOnly(string name, Scenario scenario) : CombinedStep(name, scenario), IStep<OuterContext>
    {
        public ValueTask<StepOutcome> BeforeAsync(OuterContext context) => Enter(context);
    }

    internal sealed class AfterOnly(string name, Scenario scenario) : CombinedStep(name, scenario), IStep<OuterContext>
    {
        public ValueTask AfterAsync(OuterContext context) => Leave(context);
    }

    internal sealed class OnErrorOnly(string name, Scenario scenario) : CombinedStep(name, scenario), IStep<OuterContext>
    {
        public ValueTask<ErrorOutcome> OnErrorAsync(OuterContext context, Exception exception) => Fail(context, exception);
    }

    internal sealed class BeforeAndAfter(string name, Scenario scenario) : CombinedStep(name, scenario), IStep<OuterContext>
    {
        public ValueTask<StepOutcome> BeforeAsync(OuterContext context) => Enter(context);

        public ValueTask AfterAsync(OuterContext context) => Leave(context);
    }

    internal sealed class BeforeAndOnError(string name, Scenario scenario) : CombinedStep(name, scenario), IStep<OuterContext>
    {
        public ValueTask<StepOutcome> BeforeAsync(OuterContext context) => Enter(context);

        public ValueTask<ErrorOutcome> OnErrorAsync(OuterContext context, Exception exception) => Fail(context, exception);
    }

    internal sealed class AfterAndOnError(string name, Scenario scenario) : CombinedStep(name, scenario), IStep<OuterContext>
    {
        public ValueTask AfterAsync(OuterContext context) => Leave(context);

        public ValueTask<ErrorOutcome> OnErrorAsync(OuterContext context, Exception exception) => Fail(context, exception);
    }

    internal sealed class Complete(string name, Scenario scenario) : CombinedStep(name, scenario), IStep<OuterContext>
    {
        public ValueTask<StepOutcome> BeforeAsync(OuterContext context) => Enter(context);

        public ValueTask AfterAsync(OuterContext context) => Leave(context);

        public ValueTask<ErrorOutcome> OnErrorAsync(OuterContext context, Exception exception) => Fail(context, exception);
    }
}
