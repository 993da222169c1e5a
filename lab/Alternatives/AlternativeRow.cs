namespace Lab.Alternatives;

/// <summary>A runner with one kind of work: the median round by processor time.</summary>
internal sealed record AlternativeRow(WorkKind Work, string Runner, double ProcessorNanoseconds, double Bytes, double MessagesPerSecond)
{
    /// <summary>The row of the worker as it was before, when <c>--frozen</c> is given.</summary>
    public const string Frozen = "Worker, frozen";
}
