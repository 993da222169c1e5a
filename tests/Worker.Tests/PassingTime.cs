namespace Worker.Tests;

/// <summary>Lets time pass for a route whose work runs on other threads.</summary>
internal static class PassingTime
{
    /// <summary>Moves the clock in steps until the condition holds.</summary>
    public static async Task PassUntilAsync(this ManualTimeProvider time, TimeSpan step, Func<bool> condition)
    {
        using CancellationTokenSource patience = new(TimeSpan.FromSeconds(60));
        while (!condition())
        {
            time.Advance(step);
            await Task.Delay(1, patience.Token);
        }
    }
}
