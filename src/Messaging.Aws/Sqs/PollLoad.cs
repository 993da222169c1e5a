using Messaging.Aws.Sqs.Wire;
using Messaging.Costs.Explain;

namespace Messaging.Aws.Sqs;

/// <summary>The receives that a concurrency leads to when there is little to receive.</summary>
internal sealed class PollLoad
{
    private readonly RouteLoad _load;

    public PollLoad(SqsSourceOptions sqs, RouteLoad load)
    {
        _load = load;
        AtOnce = SqsMessageSource.PollsAtOnce(load.Concurrency);
        Seconds = sqs.WaitTime > TimeSpan.Zero ? sqs.WaitTime.TotalSeconds : SqsMessageSource.ShortPollPause.TotalSeconds;
    }

    /// <summary>Polls of an empty queue that are under way at once.</summary>
    public int AtOnce { get; }

    /// <summary>What one of them takes.</summary>
    public double Seconds { get; }

    /// <summary>Polls of a day without any message.</summary>
    public double Idle => AtOnce * RouteLoad.SecondsPerDay / Seconds;

    /// <summary>True when polls end empty rather than with a message.</summary>
    public bool IsMostlyIdle => Idle > _load.MessagesPerDay;

    /// <summary>Receives of a day in which each brings one message, or none.</summary>
    public double AtWorst => Math.Max(_load.MessagesPerDay, Idle);

    /// <summary>Requests billed for them.</summary>
    public double BilledAtWorst => AtWorst + (_load.MessagesPerDay * (double)(SqsOperation.ReceiveMessage.Billed.RequestsFor(_load.MessageBytes) - 1));
}
