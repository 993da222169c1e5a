namespace Quayside.Messaging.Intake;

/// <summary>
/// How many messages of a source may be in flight: as many as raise its throughput. The reasons are in
/// docs/evidence/adr/concurrency.md. Threads: none; the intake's lock guards it.
/// <list type="bullet">
/// <item>A limit is worth twice another one if the throughput with it is a tenth higher.</item>
/// <item>While a source wants more slots, the limit is doubled as long as that is worth it. Every 5 s to a minute it is then doubled or halved for a
/// trial.</item>
/// <item>It is halved once a minute while most slots bring no message, so that an idle source does not poll more than at its start.</item>
/// <item>A store that throttles ends a trial or lowers the limit by three tenths, once for all messages that were in flight then. Below its start it is doubled
/// every 5 s.</item>
/// </list>
/// </summary>
/// <param name="slots">The limit starts at Start; only throttling lowers it below that, never below Min.</param>
/// <param name="second">Timestamp ticks of a second.</param>
internal sealed class SlotLimit(SlotRange slots, long second)
{
    // CUBIC's factor (RFC 9438), which the AWS SDKs' adaptive mode applies to the request rate after throttling.
    private const double ThrottledFactor = 0.7;

    // Of what a throughput proportional to the limit would gain.
    private const double Worthwhile = 0.1;

    private readonly int _start = slots.Start;
    private readonly int _max = slots.Max;
    private readonly int _min = slots.Min;
    private readonly long _shortestRound = second / 5;
    private readonly long _shortestPause = 5 * second;
    private readonly long _longestPause = 60 * second;
    private readonly long _idleRound = 60 * second;

    // A round ends when as many messages have finished as may be in flight. The first one after a change is not measured: its messages
    // began under the limit before.
    private long _roundBegan;
    private bool _isMeasured;
    private bool _isWanted;
    private int _finished;
    private int _accepted;
    private int _returned;

    // The limit and the throughput before the trial, in messages per tick; a limit of 0 means no trial.
    private int _limitBefore;
    private double _throughputBefore;
    private bool _triesMore = true;
    private long _nextTrial;
    private long _pause = 5 * second;

    private bool _isRecovering;

    // Of the rounds since the last idle round began; 0 before the first.
    private long _idleBegan;
    private int _idleAccepted;
    private int _idleReturned;

    public int Current { get; private set; } = slots.Start;

    /// <summary>A source asked for a slot and got none because of the limit.</summary>
    public void Wanted() => _isWanted = true;

    public void Accepted(int slots) => _accepted += slots;

    /// <summary>Reserved slots were returned without a message: the source had no more.</summary>
    public void Returned(int slots) => _returned += slots;

    public void Finished(int messages) => _finished += messages;

    /// <summary>The store throttles, or did not answer in time.</summary>
    public void Throttled(long now)
    {
        if (_isRecovering)
        {
            return;
        }

        Change(_limitBefore > 0 ? Math.Min(Current, _limitBefore) : Math.Max((int)(Current * ThrottledFactor), Math.Min(_min, Current)), now);
        (_limitBefore, _nextTrial, _pause, _triesMore) = (0, now + _shortestPause, _shortestPause, true);
        _isRecovering = true;
    }

    /// <summary>Ends the round if it is over.</summary>
    /// <returns>True when the limit was raised, so that waiting sources can have slots.</returns>
    public bool Update(long now)
    {
        int before = Current;
        if (_finished >= Current && (!_isMeasured || now - _roundBegan >= _shortestRound))
        {
            EndRound(now);
        }

        if (now - _idleBegan >= _idleRound)
        {
            EndIdleRound(now);
        }

        return Current > before;
    }

    private void EndRound(long now)
    {
        // A source that returns most of its slots would not receive more with others.
        bool counts = _isMeasured && _returned <= _accepted;
        bool mayTry = counts && _isWanted && now >= _nextTrial;
        double throughput = (double)_finished / Math.Max(now - _roundBegan, 1);
        BeginRound(now);
        _isMeasured = true;
        _isRecovering = false;
        if (counts && _limitBefore > 0)
        {
            Compare(throughput, now);
        }
        else if (mayTry && Current < _start)
        {
            Change(Math.Min(2 * Current, _start), now);
            _nextTrial = now + _shortestPause;
        }
        else if (mayTry)
        {
            _triesMore = Next(_triesMore) != Current ? _triesMore : !_triesMore;
            Try(throughput, now);
        }
    }

    private int Next(bool more) => more ? (int)Math.Min(2L * Current, _max) : Math.Min(Math.Max(Current / 2, _start), Current);

    private void Try(double throughput, long now)
    {
        int next = Next(_triesMore);
        if (next == Current)
        {
            EndTrial(now);
            return;
        }

        (_limitBefore, _throughputBefore) = (Current, throughput);
        Change(next, now);
    }

    private void Compare(double throughput, long now)
    {
        double raise = (_triesMore ? (double)Current / _limitBefore : (double)_limitBefore / Current) - 1;
        double gain = (_triesMore ? throughput / _throughputBefore : _throughputBefore / throughput) - 1;
        if (gain >= Worthwhile * raise == _triesMore)
        {
            _pause = _shortestPause;
            Try(throughput, now);
        }
        else
        {
            Change(_limitBefore, now);
            EndTrial(now);
            _triesMore = !_triesMore;
        }
    }

    private void EndTrial(long now)
    {
        _limitBefore = 0;
        _nextTrial = now + _pause;
        _pause = Math.Min(2 * _pause, _longestPause);
    }

    private void EndIdleRound(long now)
    {
        bool isIdle = _idleBegan > 0 && _idleReturned + _returned > 3L * (_idleAccepted + _accepted);
        (_idleBegan, _idleAccepted, _idleReturned) = (now, 0, 0);
        if (isIdle && Current > _start)
        {
            (_limitBefore, _nextTrial, _triesMore) = (0, now, true);
            Change(Math.Max(Current / 2, _start), now);
        }
    }

    private void Change(int limit, long now)
    {
        Current = limit;
        BeginRound(now);
        _isMeasured = false;
    }

    private void BeginRound(long now)
    {
        _idleAccepted += _accepted;
        _idleReturned += _returned;
        (_roundBegan, _isWanted, _finished, _accepted, _returned) = (now, false, 0, 0, 0);
    }
}

/// <summary>How many messages of a source may be in flight.</summary>
/// <param name="Start">The number at the start.</param>
/// <param name="Max">The upper limit: the number of slots.</param>
/// <param name="Min">The number that throttling by the sink may lower it to.</param>
internal readonly record struct SlotRange(int Start, int Max, int Min)
{
    /// <summary>What throttling usually lowers the number to.</summary>
    public const int UsualMin = 4;
}
