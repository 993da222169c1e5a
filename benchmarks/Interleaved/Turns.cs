namespace Benchmarks.Interleaved;

/// <summary>Measures two subjects in turns of about a millisecond, so that other load on the machine affects both alike.</summary>
internal static class Turns
{
    /// <param name="baseline">Runs one turn of the baseline and returns its nanoseconds per message.</param>
    /// <param name="subject">The same for the subject that is compared with the baseline.</param>
    /// <param name="warmUp">Turns before the first measured one; the JIT's last tier must be reached during them.</param>
    /// <param name="turns">Measured turns, at least one.</param>
    public static TurnMedians Measure(Func<double> baseline, Func<double> subject, int warmUp, int turns)
    {
        for (int turn = 0; turn < warmUp; turn++)
        {
            baseline();
            subject();
        }

        double[] baselines = new double[turns];
        double[] subjects = new double[turns];
        for (int turn = 0; turn < turns; turn++)
        {
            baselines[turn] = baseline();
            subjects[turn] = subject();
        }

        return TurnMedians.Of(baselines, subjects);
    }
}
