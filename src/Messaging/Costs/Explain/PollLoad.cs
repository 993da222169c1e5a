using Messaging.Aws.Sqs;

namespace Messaging.Costs.Explain;

/// <summary>The receives that a concurrency leads to when there is little to receive.</summary>
internal sealed class PollLoad
{
    private readonly ExplainInput _input;

    public PollLoad(SqsSourceOptions sqs, int concurrency, ExplainInput input)
    {
        _input = input;
        AtOnce = SqsMessageSource.PollsAtOnce(concurrency);
        Seconds = sqs.WaitTime > TimeSpan.Zero ? sqs.WaitTime.TotalSeconds : SqsMessageSource.ShortPollPause.TotalSeconds;
    }

    /// <summary>Polls of an empty queue that are under way at once.</summary>
    public int AtOnce { get; }

    /// <summary>What one of them takes.</summary>
    public double Seconds { get; }

    /// <summary>Polls of a day without any message.</summary>
    public double Idle => AtOnce * ExplainInput.SecondsADay / Seconds;

    /// <summary>True when polls end empty rather than with a message.</summary>
    public bool IsMostlyIdle => Idle > _input.MessagesPerDay;

    /// <summary>Receives of a day in which each brings one message, or none.</summary>
    public double AtWorst => Math.Max(_input.MessagesPerDay, Idle);

    /// <summary>Requests billed for them.</summary>
    public double BilledAtWorst => AtWorst + (_input.MessagesPerDay * (double)(ApiCalls.ChunksOf(_input.MessageBytes) - 1));
}
