namespace Messaging.Aws.S3.Sink.Concurrency;

/// <summary>
/// The limit of requests in flight: additive increase, multiplicative decrease (Chiu and Jain, "Analysis of the Increase and Decrease
/// Algorithms", 1989; as in TCP, RFC 5681), with latency as a second signal (Brakmo's Vegas, 1994; Netflix concurrency-limits).
/// The reasons are in docs/explanation/adr/adaptive-concurrency.md. Threads: none; the limiter's lock guards it.
/// <list type="bullet">
/// <item>Starts at the minimum and doubles per round until the first signal (slow start): the floors are learned while nothing queues.</item>
/// <item>Overload multiplies the limit by 0.7, once for all requests that were in flight then (the recovery point of RFC 6582).</item>
/// <item>A round that is clearly slower than the floor multiplies it by 0.9, but only while the limit is used.</item>
/// <item>If half of the limit is as slow as all of it, load is not the cause: the floor rises, and the limit with it.</item>
/// <item>A round that uses the limit without a signal adds 1. An idle round adds nothing (RFC 7661).</item>
/// </list>
/// </summary>
internal sealed class AdaptiveLimit(int min, int max)
{
    // CUBIC's factor (RFC 9438), which the AWS SDKs' adaptive mode applies to the request rate after throttling.
    private const double OverloadFactor = 0.7;

    private const double LatencyFactor = 0.9;

    // Fewer answers prove nothing. The logarithm of S3's latency has a spread of 0.6, so the mean of 64 is off by 8 %, far from the 50 %
    // that count as slow. The slow start needs fewer: it must be short, and a false alarm only ends it.
    private const int MinRound = 64;
    private const int MinSlowStartRound = 16;

    // 50 % above the floor. If a store serves C requests at once, queueing makes the latency grow as requests / C.
    private static readonly double Slow = Math.Log(1.5);

    // Half of the requests should halve a queueing latency; a decrease by a fifth is the least that counts as help.
    private static readonly double Helped = Math.Log(1.25);

    private readonly LatencyFloors _floors = new();
    private double _limit = min;
    private bool _slowStart = true;

    // Requests with a lower number were in flight at the last decrease and do not count again.
    private long _judged;
    private int _answers;
    private int _fullAnswers;

    // The limit and the excess latency at the start of the current series of slow rounds; 0 when there is none.
    private double _slowFrom;
    private double _slowExcess;

    public int Min => min;

    public int Max => max;

    public int Current => (int)_limit;

    /// <summary>Records the end of the request with permit <paramref name="number"/>; <paramref name="full"/> is true when the limit was fully used.</summary>
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

    /// <summary>The limit was used without a signal against more requests.</summary>
    Raised,

    /// <summary>The store throttled, or did not answer in time.</summary>
    LoweredByOverload,

    /// <summary>Answers took clearly longer than with fewer requests.</summary>
    LoweredByLatency,
}

/// <summary>What the outcome of a request says about the store's load.</summary>
internal enum RequestOutcome
{
    /// <summary>Nothing: refused, not found, cancelled, or ended by the object's own deadline.</summary>
    Neutral = 0,

    /// <summary>It succeeded, and its latency can be compared.</summary>
    Succeeded,

    /// <summary>The object exists: the store keeps up, but the latency is not that of a stored PUT.</summary>
    Existed,

    /// <summary>Too much: throttled, or no answer within an attempt's time.</summary>
    Overloaded,
}
