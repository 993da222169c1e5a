namespace Quayside.Messaging.Http.Web.History;

/// <summary>The figures of the last 24 hours, one set per minute, in fixed memory. A minute is counted from the Unix epoch. Threads: one at a time.</summary>
internal sealed class MinuteRing
{
    /// <summary>Minutes that are kept.</summary>
    public const int Minutes = 24 * 60;

    /// <summary>Values per minute.</summary>
    public const int Width = 14;

    /// <summary>The first values are counts, which add up; of the others the highest counts.</summary>
    public const int Counts = 7;

    private readonly uint[] _minutes = new uint[Minutes];
    private readonly float[] _values = new float[Minutes * Width];

    /// <summary>Adds the figures of a minute to those that are there, such as those of the process before a restart.</summary>
    /// <param name="minute">The minute; above 0.</param>
    /// <param name="values"><see cref="Width"/> values; NaN where nothing was measured.</param>
    public void Add(uint minute, ReadOnlySpan<float> values)
    {
        int slot = (int)(minute % Minutes);
        Span<float> kept = _values.AsSpan(slot * Width, Width);
        if (_minutes[slot] == minute)
        {
            Merge(kept, values);
            return;
        }

        _minutes[slot] = minute;
        values.CopyTo(kept);
    }

    /// <summary>The figures of a minute.</summary>
    /// <returns>Empty when there are none: the worker did not run.</returns>
    public ReadOnlySpan<float> Of(uint minute)
    {
        int slot = (int)(minute % Minutes);
        return minute != 0 && _minutes[slot] == minute ? _values.AsSpan(slot * Width, Width) : default;
    }

    /// <summary>Whether the place of a minute has figures of a later one.</summary>
    public bool HasNewer(uint minute) => _minutes[minute % Minutes] > minute;

    /// <summary>The minutes that have figures, the oldest first.</summary>
    public uint[] All() => [.. _minutes.Where(static minute => minute != 0).Order()];

    /// <summary>Adds counts, and keeps the higher one of other values; a value that is not NaN wins.</summary>
    public static void Merge(Span<float> kept, ReadOnlySpan<float> values)
    {
        for (int i = 0; i < Width; i++)
        {
            kept[i] = i < Counts ? kept[i] + values[i]
                : float.IsNaN(kept[i]) || values[i] > kept[i] ? values[i]
                : kept[i];
        }
    }
}
