namespace Messaging.Aws.S3.Sink.Concurrency;

/// <summary>
/// How many requests may be in flight: additive increase, multiplicative decrease (Chiu and Jain, "Analysis of the Increase and Decrease
/// Algorithms", 1989; as TCP has it, RFC 5681), with latency as a second sign (Brakmo's Vegas, 1994; Netflix concurrency-limits).
/// docs/explanation/adr/adaptive-concurrency.md has the reasons. Threads: none; the limiter's lock guards it.
/// <list type="bullet">
/// <item>Begins at the least and doubles a round until the first sign (slow start): the floors are learned while nothing queues.</item>
/// <item>Overload multiplies by 0.7, once for all requests that were in flight then (the recovery point of RFC 6582).</item>
/// <item>A round that is clearly slower than the floor multiplies by 0.9, but only while the limit is used.</item>
/// <item>Where half of the limit is as slow as all of it, load is not the reason: the floor rises, and the limit with it.</item>
/// <item>A used round without a sign adds 1. An idle one adds nothing (RFC 7661).</item>
/// </list>
/// </summary>
internal sealed class AdaptiveLimit(int min, int max)
{
    // CUBIC's factor (RFC 9438), which the AWS SDKs' adaptive mode takes for the rate of requests after throttling.
    private const double OverloadFactor = 0.7;

    private const double LatencyFactor = 0.9;

    // Fewer answers are no evidence. Where the logarithm of the latency has a spread of 0.6, as S3's has, the mean of 64 is off by 8 %,
    // far from the 50 % that count as slow. The slow start takes less: it must be short, and ends at a false alarm at worst.
    private const int MinRound = 64;
    private const int MinSlowStartRound = 16;

    // Half as much again as the floor. A queue in front of a store that serves C at once makes latency grow as requests / C.
    private static readonly double Slow = Math.Log(1.5);

    // Half of the requests should halve a queueing latency; a fifth off is the least that counts as help.
    private static readonly double Helped = Math.Log(1.25);

    private readonly LatencyFloors _floors = new();
    private double _limit = min;
    private bool _slowStart = true;

    // Requests with a lower number were in flight at the last decrease, and were judged by it.
    private long _judged;
    private int _answers;
    private int _fullAnswers;

    // Where the present row of slow rounds began, and how slow it was; 0 when there is none.
    private double _slowFrom;
    private double _slowExcess;

    public int Min => min;

    public int Max => max;

    public int Current => (int)_limit;

    /// <summary>Takes notice of a request's end.</summary>
    /// <param name="number">The request's permit.</param>
    /// <param name="next">The number of the next permit.</param>
    /// <param name="full">True when the limit was used up while it was in flight.</param>
    /// <param name="outcome">How it ended.</param>
    /// <param name="bytes">What it carried.</param>
    /// <param name="latency">How long it took.</param>
    public LimitChange Ended(long number, long next, bool full, RequestOutcome outcome, int bytes, TimeSpan latency)
    {
        if (min == max || number < _judged || outcome == RequestOutcome.Neutral)
        {
            return LimitChange.None;
        }

        if (outcome == RequestOutcome.Overloaded)
        {
            _slowFrom = 0;
            return Lower(OverloadFactor, next) ? LimitChange.LoweredByOverload : LimitChange.None;
        }

        if (outcome == RequestOutcome.Succeeded)
        {
            _floors.Add(bytes, latency);
        }

        _answers++;
        _fullAnswers += full ? 1 : 0;
        return _answers < Math.Max(Current, _slowStart ? MinSlowStartRound : MinRound) ? LimitChange.None : EndRound(next);
    }

    private LimitChange EndRound(long next)
    {
        double? excess = _floors.Look();
        bool used = 2 * _fullAnswers > _answers;
        (_answers, _fullAnswers) = (0, 0);
        if (!used)
        {
            _slowFrom = 0;
            return LimitChange.None;
        }

        if (excess > Slow)
        {
            return EndSlowRound(excess.Value, next);
        }

        _slowFrom = 0;
        if (_limit >= max)
        {
            return LimitChange.None;
        }

        _limit = Math.Min(_slowStart ? 2 * _limit : _limit + 1, max);
        return LimitChange.Raised;
    }

    private LimitChange EndSlowRound(double excess, long next)
    {
        _slowStart = false;
        bool halved = _slowFrom > 0 && (_limit <= _slowFrom / 2 || _limit <= min);
        if (halved && excess > _slowExcess - Helped)
        {
            _floors.Raise(excess);
            _slowFrom = 0;
            return LimitChange.None;
        }

        if (halved || _slowFrom == 0)
        {
            (_slowFrom, _slowExcess) = (_limit, excess);
        }

        return Lower(LatencyFactor, next) ? LimitChange.LoweredByLatency : LimitChange.None;
    }

    private bool Lower(double factor, long next)
    {
        double before = _limit;
        _limit = Math.Max(_limit * factor, min);
        _slowStart = false;
        _judged = next;
        (_answers, _fullAnswers) = (0, 0);
        _floors.Forget();
        return _limit < before;
    }
}

/// <summary>What the end of a request did to the limit.</summary>
internal enum LimitChange
{
    None = 0,

    /// <summary>The limit was used and nothing spoke against more.</summary>
    Raised,

    /// <summary>The store said that it is too much, or did not answer in time.</summary>
    LoweredByOverload,

    /// <summary>Answers took clearly longer than they do with fewer requests.</summary>
    LoweredByLatency,
}

/// <summary>What the end of a request says about the load of the store.</summary>
internal enum RequestOutcome
{
    /// <summary>Nothing: refused, not found, cancelled, cut short by the caller's own deadline.</summary>
    Neutral = 0,

    /// <summary>It worked, and its latency can be compared.</summary>
    Succeeded,

    /// <summary>The object is there already: the store keeps up, but what it took is no PUT's latency.</summary>
    Existed,

    /// <summary>Too much: throttled, or no answer in the time an attempt has.</summary>
    Overloaded,
}
