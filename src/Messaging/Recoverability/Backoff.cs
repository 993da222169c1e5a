namespace Messaging.Recoverability;

/// <summary>
/// Exponential backoff with full jitter: a uniformly random wait between zero and the doubled bound, so that many clients that
/// failed together do not come back together. Source: AWS Architecture Blog, "Exponential Backoff And Jitter".
/// </summary>
/// <param name="Base">The bound of the first wait.</param>
/// <param name="Cap">The bound that doubling never exceeds.</param>
public readonly record struct Backoff(TimeSpan Base, TimeSpan Cap)
{
    /// <summary>The wait before the attempt after <paramref name="failures"/> failures (1 or more), at least what the other side asked for.</summary>
    public TimeSpan After(int failures, TimeSpan atLeast = default)
    {
        // 2^30 times any sensible base is beyond any cap; the shift must not overflow.
        double bound = Math.Min(Cap.TotalMilliseconds, Base.TotalMilliseconds * (1L << Math.Clamp(failures - 1, 0, 30)));
#pragma warning disable RS0030 // the one place that draws random waits
        TimeSpan wait = TimeSpan.FromMilliseconds(bound * Random.Shared.NextDouble());
#pragma warning restore RS0030
        return wait > atLeast ? wait : atLeast;
    }
}
