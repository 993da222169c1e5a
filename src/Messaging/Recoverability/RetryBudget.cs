namespace Messaging.Recoverability;

/// <summary>
/// Bounds the share of requests that are retries, over all that a sink stores: a store in trouble gets its own load and little more. The
/// rule and the numbers are those of the AWS SDKs' standard mode ("Retry behavior", SDK reference): 500 tokens; a retry takes 5,
/// after a timeout 10; a success returns what its last retry took, or 1. So about 100 retries may be made before any success,
/// and of requests that fail for good at most one in five is repeated. Threads: any.
/// </summary>
public sealed class RetryBudget
{
    internal const int Capacity = 500;
    private const int Cost = 5;
    private const int TimeoutCost = 10;
    private const int FirstSuccess = 1;

    private int _tokens = Capacity;

    /// <summary>What is left.</summary>
    internal int Tokens => Volatile.Read(ref _tokens);

    /// <summary>Takes what a retry costs.</summary>
    /// <param name="timedOut">True when there is a retry because no answer came in time.</param>
    /// <param name="taken">What was taken, for <see cref="Succeeded"/>.</param>
    /// <returns>False when there is not enough left: no retry.</returns>
    public bool TryTake(bool timedOut, out int taken)
    {
        taken = timedOut ? TimeoutCost : Cost;
        int left = Volatile.Read(ref _tokens);
        while (left >= taken)
        {
            int seen = Interlocked.CompareExchange(ref _tokens, left - taken, left);
            if (seen == left)
            {
                return true;
            }

            left = seen;
        }

        taken = 0;
        return false;
    }

    /// <summary>Returns tokens after a success.</summary>
    /// <param name="taken">What its last retry took; 0 when it needed none.</param>
    public void Succeeded(int taken)
    {
        int tokens = Volatile.Read(ref _tokens);

        // Nearly always full, and then not written to: the counter is shared by all cores.
        while (tokens < Capacity)
        {
            int seen = Interlocked.CompareExchange(ref _tokens, Math.Min(Capacity, tokens + Math.Max(taken, FirstSuccess)), tokens);
            if (seen == tokens)
            {
                return;
            }

            tokens = seen;
        }
    }
}
