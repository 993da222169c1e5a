namespace Lab.Alternatives;

/// <summary>
/// A runner with one kind of work: the median round by processor time, the most resident memory of its process, and the processor time of every round, in their
/// order.
/// </summary>
internal sealed record AlternativeRow(
    WorkKind Work, string Runner, double ProcessorNanoseconds, double Bytes, double MessagesPerSecond, double PeakMiB,
    IReadOnlyList<double> ProcessorNanosecondsOfRounds)
{
    /// <summary>The row of the worker as it was before, when <c>--frozen</c> is given.</summary>
    public const string Frozen = "Worker, frozen";
}
