using System.Threading.Tasks.Sources;

namespace Messaging.Tasks;

/// <summary>Guards pooled value tasks against code that reads their result early, or a second time.</summary>
internal static class PooledResult
{
    /// <summary>
    /// Call it before the result is read. An object that returns to its pool while an operation still runs in it would give the next caller
    /// that operation's outcome.
    /// </summary>
    /// <exception cref="InvalidOperationException">The task has not completed, or its result was read before.</exception>
    public static void EnsureCompleted<TResult>(ref ManualResetValueTaskSourceCore<TResult> core, short token)
    {
        if (core.GetStatus(token) == ValueTaskSourceStatus.Pending)
        {
            throw new InvalidOperationException("The value task has not completed; await it instead of reading its result.");
        }
    }
}
