namespace Quayside.Messaging.Console.Api;

/// <summary>
/// The open streams, at most <see cref="Max"/>. When all are in use, a new stream replaces the oldest one that has lasted for <see cref="Turn"/>: the
/// kernel's buffers can hide for hours that a page reads nothing. Threads: any.
/// </summary>
internal sealed class Watchers(TimeProvider time)
{
    /// <summary>The maximum number of streams.</summary>
    public const int Max = 16;

    /// <summary>How long a stream lasts before a new one may replace it.</summary>
    public static readonly TimeSpan Turn = TimeSpan.FromMinutes(1);

    // Oldest first.
    private readonly List<(Action End, long Since)> _all = [];

    /// <param name="end">Closes the stream when it is replaced.</param>
    /// <returns>False when all streams are in use.</returns>
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

    /// <summary>Removes a stream; safe to repeat.</summary>
    public void Remove(Action end)
    {
        lock (_all)
        {
            _all.RemoveAll(watcher => watcher.End == end);
        }
    }
}
