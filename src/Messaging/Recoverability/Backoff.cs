namespace Quayside.Messaging.Recoverability;

/// <summary>
/// Exponential backoff with full jitter: a uniformly random wait between zero and a bound that doubles, so that clients that failed
/// together do not retry together. Source: AWS Architecture Blog, "Exponential Backoff And Jitter".
/// </summary>
/// <param name="Base">The bound of the first wait.</param>
/// <param name="Cap">The maximum of the bound.</param>
internal readonly record struct Backoff(TimeSpan Base, TimeSpan Cap)
{
#pragma warning disable RS0030 // the one place that draws random waits
    /// <summary>The source of randomness; a simulation replaces it with a seeded one.</summary>
    internal static Random Jitter { get; set; } = Random.Shared;

    /// <summary>The wait before the attempt after <paramref name="failures"/> failures (1 or more), at least <paramref name="atLeast"/>.</summary>
    public TimeSpan After(int failures, TimeSpan atLeast = default)
    {
        // Clamped so that the shift cannot overflow; 2^30 times any sensible base exceeds any cap.
        double bound = Math.Min(Cap.TotalMilliseconds, Base.TotalMilliseconds * (1L << Math.Clamp(failures - 1, 0, 30)));
        TimeSpan wait = TimeSpan.FromMilliseconds(bound * Jitter.NextDouble());
#pragma warning restore RS0030
        return wait > atLeast ? wait : atLeast;
    }
}
