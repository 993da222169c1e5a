namespace Messaging.Http.Web.Api;

/// <summary>
/// The pages that are fed, at most <see cref="Max"/>. When there are that many, the one that has been fed longest gives way after a while: what
/// the kernel takes for a page that reads nothing lasts for hours. Threads: any.
/// </summary>
internal sealed class Watchers(TimeProvider time)
{
    /// <summary>The most at once.</summary>
    public const int Max = 16;

    /// <summary>How long one is fed before it gives way.</summary>
    public static readonly TimeSpan Turn = TimeSpan.FromMinutes(1);

    // In the order in which they came.
    private readonly List<(Action End, long Since)> _all = [];

    /// <summary>Adds one.</summary>
    /// <param name="end">Ends it when it has to give way.</param>
    /// <returns>False when there is no room.</returns>
    public bool TryAdd(Action end)
    {
        lock (_all)
        {
            if (_all.Count >= Max)
            {
                if (time.GetElapsedTime(_all[0].Since) < Turn)
                {
                    return false;
                }

                _all[0].End();
                _all.RemoveAt(0);
            }

            _all.Add((end, time.GetTimestamp()));
            return true;
        }
    }

    /// <summary>Takes one out that has ended; safe to repeat.</summary>
    public void Remove(Action end)
    {
        lock (_all)
        {
            _all.RemoveAll(watcher => watcher.End == end);
        }
    }
}
