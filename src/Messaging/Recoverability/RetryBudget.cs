namespace Quayside.Messaging.Recoverability;

/// <summary>
/// Limits the share of retries among all requests of a sink, so that retries add little load to a failing store. Rule and numbers are those
/// of the AWS SDKs' standard mode ("Retry behavior", SDK reference): 500 tokens; a retry takes 5, after a timeout 10; a success returns
/// the tokens of its last retry, or 1. So about 100 retries are possible before any success, and of requests that keep failing at most
/// one in five is retried. Threads: any.
/// </summary>
internal sealed class RetryBudget
{
    internal const int Capacity = 500;
    private const int Cost = 5;
    private const int TimeoutCost = 10;
    private const int FirstSuccess = 1;

    private int _tokens = Capacity;

    /// <summary>Tokens left.</summary>
    internal int Tokens => Volatile.Read(ref _tokens);

    /// <summary>Takes the tokens for a retry.</summary>
    /// <param name="timedOut">True when the reason for the retry is a timeout.</param>
    /// <param name="taken">The tokens taken, for <see cref="Succeeded"/>.</param>
    /// <returns>False when too few tokens are left: do not retry.</returns>
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
    /// <param name="taken">The tokens that its last retry took; 0 without a retry.</param>
    public void Succeeded(int taken)
    {
        int tokens = Volatile.Read(ref _tokens);

        // Not written when full, the usual case: all cores share the counter.
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
