using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Costs.Explain;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>The receives of a route when there are few messages.</summary>
internal sealed class PollLoad
{
    private readonly RouteLoad _load;

    public PollLoad(SqsSourceOptions sqs, RouteLoad load)
    {
        _load = load;
        Concurrent = SqsMessageSource.ConcurrentPolls(load.ConcurrencyAtRest);
        Seconds = sqs.WaitTime > TimeSpan.Zero ? sqs.WaitTime.TotalSeconds : SqsMessageSource.ShortPollPause.TotalSeconds;
    }

    /// <summary>Concurrent polls of an empty queue.</summary>
    public int Concurrent { get; }

    /// <summary>The duration of one poll.</summary>
    public double Seconds { get; }

    /// <summary>Polls per day without any message.</summary>
    public double Idle => Concurrent * RouteLoad.SecondsPerDay / Seconds;

    /// <summary>True when most polls end without a message.</summary>
    public bool IsMostlyIdle => Idle > _load.MessagesPerDay;

    /// <summary>Receives per day when each returns one message or none.</summary>
    public double AtWorst => Math.Max(_load.MessagesPerDay, Idle);

    /// <summary>Requests billed for <see cref="AtWorst"/>.</summary>
    public double BilledAtWorst => AtWorst + (_load.MessagesPerDay * (double)(SqsOperation.ReceiveMessage.Billed.RequestsFor(_load.MessageBytes) - 1));
}
