namespace Quayside.Messaging.Http.Web.History;

/// <summary>
/// Decides by the minute whether a sink is slow: p99 of three minutes in a row far above the median of its own hour before. It ends after three minutes
/// near that median. Minutes with few messages decide nothing, so a rare slow one does not make it flap. Threads: one at a time.
/// </summary>
internal sealed class SlowSink
{
    /// <summary>A minute with fewer stored messages decides nothing: p99 of them would be the slowest one.</summary>
    public const int MinCount = 50;

    /// <summary>Minutes in a row that begin or end it.</summary>
    public const int Minutes = 3;

    /// <summary>How far above its usual p99 a slow sink is.</summary>
    public const double Factor = 4;

    /// <summary>The same to end it: lower, so that it does not flap at the limit.</summary>
    public const double EndFactor = 2;

    /// <summary>No sink is slow below this p99, in seconds.</summary>
    public const double MinSeconds = 0.1;

    /// <summary>A sink with this p50 is slow, whatever it was before, in seconds.</summary>
    public const double AlwaysSeconds = 1;

    // Minutes of the hour that must have figures.
    private const int MinUsual = 10;
    private const int Hour = 60;

    private readonly Queue<double> _usual = [];
    private readonly List<(uint Minute, double P99)> _run = [];
    private int _calm;

    /// <summary>The minute since which it is slow; null while it is not.</summary>
    public uint? Since { get; private set; }

    /// <summary>The median of p99 in the hour before it became slow, in seconds.</summary>
    public double UsualP99 { get; private set; }

    /// <summary>Adds a minute.</summary>
    /// <param name="minute">The minute.</param>
    /// <param name="count">Messages stored in it.</param>
    /// <param name="p99">Their p99 in seconds; NaN when it was not measured.</param>
    /// <returns>True when the sink became slow, or stopped being slow.</returns>
    public bool Add(uint minute, double count, double p99)
    {
        if (count < MinCount || double.IsNaN(p99))
        {
            return false;
        }

        if (Since is not null)
        {
            _calm = p99 <= Math.Max(MinSeconds, EndFactor * UsualP99) ? _calm + 1 : 0;
            if (_calm < Minutes)
            {
                return false;
            }

            Since = null;
            _calm = 0;
            return true;
        }

        if (_usual.Count >= MinUsual)
        {
            double usual = _usual.Order().ElementAt(_usual.Count / 2);
            if (p99 > Math.Max(MinSeconds, Factor * usual))
            {
                _run.Add((minute, p99));
                if (_run.Count < Minutes)
                {
                    return false;
                }

                (Since, UsualP99) = (_run[0].Minute, usual);
                _run.Clear();
                return true;
            }
        }

        foreach ((_, double earlier) in _run)
        {
            Keep(earlier);
        }

        _run.Clear();
        Keep(p99);
        return false;
    }

    private void Keep(double p99)
    {
        _usual.Enqueue(p99);
        if (_usual.Count > Hour)
        {
            _usual.Dequeue();
        }
    }
}
