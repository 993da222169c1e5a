namespace Pipeline.Tests.Parts;

/// <summary>The stage behind a connector; writes to the trace of the outer message.</summary>
internal sealed class InnerContext : TracedContext
{
    public static InnerContext Of(TracedContext outer) => new()
    {
        Trace = outer.Trace,
        State = outer.State,
        CancellationToken = outer.CancellationToken,
    };
}
