using System.Globalization;

namespace Quayside.Messaging.Telemetry;

/// <summary>Formats times for log lines and responses: <c>79 ms</c>, <c>1.5 s</c>, <c>15 min</c>, <c>12 h</c>.</summary>
internal static class DurationText
{
    /// <summary>The time, rounded to milliseconds below a second and to a tenth of its unit above.</summary>
    public static string Of(TimeSpan time) => time.TotalSeconds switch
    {
        < 1 => string.Create(CultureInfo.InvariantCulture, $"{time.TotalMilliseconds:0} ms"),
        < 120 => string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.#} s"),
        < 7_200 => string.Create(CultureInfo.InvariantCulture, $"{time.TotalMinutes:0.#} min"),
        _ => string.Create(CultureInfo.InvariantCulture, $"{time.TotalHours:0.#} h"),
    };
}
