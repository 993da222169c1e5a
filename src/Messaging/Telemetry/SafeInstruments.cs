using System.Diagnostics.Metrics;

namespace Messaging.Telemetry;

/// <summary>Measures without throwing: listeners are foreign code, and no message's outcome may depend on them.</summary>
internal static class SafeInstruments
{
    public static void TryAdd(this Counter<long> counter, long value, params ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        try
        {
            counter.Add(value, tags);
        }
        catch (Exception)
        {
            // Of a listener.
        }
    }

    public static void TryRecord<T>(this Histogram<T> histogram, T value, params ReadOnlySpan<KeyValuePair<string, object?>> tags)
        where T : struct
    {
        try
        {
            histogram.Record(value, tags);
        }
        catch (Exception)
        {
            // Of a listener.
        }
    }
}
