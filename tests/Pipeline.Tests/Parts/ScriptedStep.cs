using Quayside.Pipeline.Behaviors;

namespace Pipeline.Tests.Parts;

/// <summary>
/// A step that writes <c>name&gt;</c>, <c>&lt;name</c> or <c>name!(exception)</c> to the trace and then runs the test's code.
/// </summary>
internal sealed class ScriptedStep(string name) : IStep<TracedContext>
{
    public string Name { get; } = name;

    public Timing Timing { get; init; }

    public Action<TracedContext>? Before { get; init; }

    public StepOutcome Outcome { get; init; } = StepOutcome.Continue;

    public Action<TracedContext>? After { get; init; }

    public Func<Exception, ErrorOutcome>? OnError { get; init; }

    public ValueTask<StepOutcome> BeforeAsync(TracedContext context) => Part.Run(Timing, () =>
    {
        context.Add($"{Name}>");
        Before?.Invoke(context);
        return Outcome;
    });

    public ValueTask AfterAsync(TracedContext context) => Part.Run(Timing, () =>
    {
        context.Add($"<{Name}");
        After?.Invoke(context);
    });

    public ValueTask<ErrorOutcome> OnErrorAsync(TracedContext context, Exception exception) => Part.Run(Timing, () =>
    {
        context.Add($"{Name}!({exception.Message})");
        return OnError?.Invoke(exception) ?? ErrorOutcome.Rethrow;
    });
}
