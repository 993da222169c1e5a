using Pipeline.Contexts;

namespace Pipeline.Tests.Parts;

/// <summary>What the tests' parts share about one message: what ran, in order, and a number of the message's own.</summary>
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
