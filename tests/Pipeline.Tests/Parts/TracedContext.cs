using Quayside.Pipeline.Contexts;

namespace Pipeline.Tests.Parts;

/// <summary>The state of one message that the tests' parts share: the trace of what ran, and the message's own number.</summary>
internal abstract class TracedContext : PipelineContext
{
    public List<string> Trace { get; set; } = [];

    public int State { get; set; }

    public void Add(string entry) => Trace.Add(entry);

    public override void Reset()
    {
        base.Reset();
        Trace = [];
        State = 0;
    }

    public override string ToString() => string.Join(' ', Trace);
}
