using System.Diagnostics;

namespace Messaging.Publishing;

/// <summary>Sends generated messages, as many calls at once as the sender likes, at a rate where one is asked for.</summary>
public static class PublishRun
{
    /// <param name="sender">Where to; the caller owns it.</param>
    /// <param name="generate">Makes the message of an index from 0 to <paramref name="count"/> - 1. Called by several threads at once, once per index.</param>
    /// <param name="count">Messages to send.</param>
    /// <param name="rate">Messages per second at most, on average; null for no limit.</param>
    /// <param name="cancellationToken">Ends it; what was sent by then is reported.</param>
    public static async Task<PublishResult> SendAsync(IMessageSender sender, Func<int, OutgoingMessage> generate, int count, int? rate, CancellationToken cancellationToken)
    {
        long started = Stopwatch.GetTimestamp();
        int sent = 0;
        string? firstError = null;
        Task sending = Parallel.ForEachAsync(
            Enumerable.Range(0, count).Chunk(BatchSize(sender, rate)),
            new ParallelOptions { MaxDegreeOfParallelism = sender.Concurrency, CancellationToken = cancellationToken },
            async (indexes, token) =>
            {
                await WaitUntilDueAsync(indexes[0], rate, started, token);
                foreach (string? error in await sender.SendAsync([.. indexes.Select(generate)], token))
                {
                    if (error is null)
                    {
                        Interlocked.Increment(ref sent);
                    }
                    else
                    {
                        Interlocked.CompareExchange(ref firstError, error, null);
                    }
                }
            });
        try
        {
            await sending;
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            firstError ??= "interrupted.";
        }

        return new PublishResult(sent, firstError);
    }

    // Within a batch there is no waiting: at a rate, 20 batches a second are even enough.
    private static int BatchSize(IMessageSender sender, int? rate) => Math.Clamp((rate ?? int.MaxValue) / 20, 1, sender.BatchSize);

    // A message that is late is sent at once, so the rate is kept on average.
    private static async Task WaitUntilDueAsync(int index, int? rate, long started, CancellationToken cancellationToken)
    {
        if (rate is { } perSecond && TimeSpan.FromSeconds((double)index / perSecond) - Stopwatch.GetElapsedTime(started) is { Ticks: > 0 } early)
        {
            await Task.Delay(early, cancellationToken);
        }
    }
}
