namespace Pipeline.Tests.Parts;

/// <summary>Short forms for the most frequent parts.</summary>
internal static class Part
{
    public static readonly Timing[] Timings = [Timing.Synchronous, Timing.CompletedTask, Timing.AfterHop];

    public static ScriptedStep Step(string name, Timing timing = Timing.Synchronous) => new(name) { Timing = timing };

    public static ScriptedBehavior<OuterContext, OuterContext> Outer(string name, Func<OuterContext, Func<ValueTask>, ValueTask>? body = null) =>
        new(name, context => context, body);

    public static ScriptedBehavior<InnerContext, InnerContext> Inner(string name, Func<InnerContext, Func<ValueTask>, ValueTask>? body = null) =>
        new(name, context => context, body);

    public static ScriptedBehavior<OuterContext, InnerContext> Connector(string name, Func<OuterContext, Func<ValueTask>, ValueTask>? body = null) =>
        new(name, InnerContext.Of, body);

    public static ScriptedTerminator Terminator(Timing timing = Timing.Synchronous, Action<TracedContext>? body = null) => new("t", timing, body);

    /// <summary>Runs an action with the given timing; its exception is thrown or returned accordingly.</summary>
    public static ValueTask Run(Timing timing, Action action)
    {
        switch (timing)
        {
            case Timing.Synchronous:
                action();
                return default;
            case Timing.CompletedTask:
                return RunCompletedAsync(action);
            default:
                return RunAfterHopAsync(action);
        }
    }

    /// <inheritdoc cref="Run(Timing, Action)"/>
    public static ValueTask<T> Run<T>(Timing timing, Func<T> function)
    {
        return timing switch
        {
            Timing.Synchronous => new ValueTask<T>(function()),
            Timing.CompletedTask => RunCompletedAsync(function),
            _ => RunAfterHopAsync(function),
        };
    }

    private static async ValueTask RunCompletedAsync(Action action)
    {
        await Task.CompletedTask;
        action();
    }

    private static async ValueTask RunAfterHopAsync(Action action)
    {
        await Task.Yield();
        action();
    }

    private static async ValueTask<T> RunCompletedAsync<T>(Func<T> function)
    {
        await Task.CompletedTask;
        return function();
    }

    private static async ValueTask<T> RunAfterHopAsync<T>(Func<T> function)
    {
        await Task.Yield();
        return function();
    }
}
