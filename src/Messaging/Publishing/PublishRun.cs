using System.Diagnostics;

namespace Quayside.Messaging.Publishing;

/// <summary>Sends generated messages with the concurrency of the sender, optionally at a limited rate.</summary>
internal static class PublishRun
{
    /// <param name="sender">The sender; the caller owns it.</param>
    /// <param name="generate">Generates the message of an index, from 0 to <paramref name="count"/> - 1. Called once per index, by several threads.</param>
    /// <param name="count">Messages to send.</param>
    /// <param name="rate">Maximum average number of messages per second; null for no limit.</param>
    /// <param name="cancellationToken">Stops sending; the result counts the messages sent by then.</param>
    public static async Task<PublishResult> SendAsync(
        IMessageSender sender, Func<int, OutgoingMessage> generate, int count, int? rate, CancellationToken cancellationToken)
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

        return new PublishResult(count, sent, firstError);
    }

    // A batch leaves as a whole, so a limited rate uses 20 batches per second to stay even.
    private static int BatchSize(IMessageSender sender, int? rate) => Math.Clamp((rate ?? int.MaxValue) / 20, 1, sender.BatchSize);

    // Late messages are sent immediately, so the average rate is kept.
    private static async Task WaitUntilDueAsync(int index, int? rate, long started, CancellationToken cancellationToken)
    {
        if (rate is { } perSecond && TimeSpan.FromSeconds((double)index / perSecond) - Stopwatch.GetElapsedTime(started) is { Ticks: > 0 } early)
        {
            await Task.Delay(early, cancellationToken);
        }
    }
}
