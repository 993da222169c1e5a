namespace Integration.Tests.Worker;

/// <summary>Waits for a condition that another process brings about.</summary>
internal static class Eventually
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(50);

    /// <exception cref="TimeoutException">The condition did not become true; the message says what was expected.</exception>
    public static async Task BecomesTrueAsync(Func<Task<bool>> condition, string expected, TimeSpan? timeout = null)
    {
        TimeSpan limit = timeout ?? TimeSpan.FromSeconds(60);
        long start = TimeProvider.System.GetTimestamp();
        while (!await condition())
        {
            if (TimeProvider.System.GetElapsedTime(start) > limit)
            {
                throw new TimeoutException($"Not within {limit}: {expected}.");
            }

            await Task.Delay(Interval);
        }
    }

    public static Task BecomesTrueAsync(Func<bool> condition, string expected, TimeSpan? timeout = null) =>
        BecomesTrueAsync(() => Task.FromResult(condition()), expected, timeout);
}
