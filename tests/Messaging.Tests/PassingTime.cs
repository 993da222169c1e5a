using System.Diagnostics;

namespace Messaging.Tests;

/// <summary>
/// Lets time pass for code that runs on the pool. On <see cref="OneThread"/> the clock moves only when everything is at rest, and a condition that
/// does not hold then fails immediately. Only tests that block threads, or need several, run elsewhere: there it is polled every millisecond.
/// </summary>
internal static class PassingTime
{
    // More than two hours of the smallest steps: a condition that never holds fails soon.
    private const int MaxSteps = 100_000;

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    /// <summary>Moves the clock in steps until the condition holds.</summary>
    public static async Task PassUntilAsync(
        this ManualTimeProvider time, TimeSpan step, Func<bool> condition, string what = "The condition does not hold, however much time passes.")
    {
        long started = Stopwatch.GetTimestamp();
        await RestAsync();
        for (int steps = 0; !condition(); steps++)
        {
            (OneThread.IsActive ? steps < MaxSteps : Stopwatch.GetElapsedTime(started) < Limit).ShouldBeTrue(what);
            time.Advance(step);
            await RestAsync();
        }
    }

    /// <summary>Moves the clock by one step, and returns when what was due has happened.</summary>
    public static async Task PassAsync(this ManualTimeProvider time, TimeSpan step)
    {
        await RestAsync();
        time.Advance(step);
        await RestAsync();
    }

    /// <summary>Waits, without moving a clock, until the condition holds.</summary>
    public static async Task UntilAsync(Func<bool> condition, string what = "At rest, the condition does not hold.")
    {
        long started = Stopwatch.GetTimestamp();
        await RestAsync();
        while (!condition())
        {
            (!OneThread.IsActive && Stopwatch.GetElapsedTime(started) < Limit).ShouldBeTrue(what);
            await RestAsync();
        }
    }

    private static Task RestAsync() => OneThread.IsActive ? OneThread.RestAsync() : Task.Delay(1);
}
