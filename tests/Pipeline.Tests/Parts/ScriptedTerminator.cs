using Quayside.Pipeline.Behaviors;

namespace Pipeline.Tests.Parts;

/// <summary>Writes its name to the trace, then runs the test's code.</summary>
internal sealed class ScriptedTerminator(string name, Timing timing, Action<TracedContext>? body) : ITerminator<TracedContext>
{
    public ValueTask InvokeAsync(TracedContext context) => Part.Run(timing, () =>
    {
        context.Add(name);
        body?.Invoke(context);
    });
}
