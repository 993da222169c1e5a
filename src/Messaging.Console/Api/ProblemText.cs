using System.Globalization;

namespace Quayside.Messaging.Console.Api;

/// <summary>Figures in the sentences of problems, in the form of the page: <c>44 ms</c>, <c>1.2/s</c>, <c>22:04:10 (2 min)</c>.</summary>
internal static class ProblemText
{
    public static string Count(double value) => value.ToString("N0", CultureInfo.InvariantCulture);

    /// <summary>"1 message", "1,234 messages".</summary>
    public static string Many(double number, string one, string? more = null) => $"{Count(number)} {(number == 1 ? one : more ?? $"{one}s")}";

    /// <summary>"malformed-json (12), wrong-type (3)", the largest first.</summary>
    public static string Counts<T>(IEnumerable<KeyValuePair<string, T>> byName) where T : struct, IConvertible =>
        string.Join(
            ", ", byName.OrderByDescending(static pair => pair.Value.ToDouble(null)).Select(static pair => $"{pair.Key} ({Count(pair.Value.ToDouble(null))})"));

    public static string Rate(double perSecond) => perSecond is > 0 and < 0.05 ? "<0.1/s" : $"{Short(perSecond)}/s";

    /// <summary>A measured time, given in seconds.</summary>
    public static string Seconds(double value) => value switch
    {
        < 0.00095 => $"{Short(value * 1e6)} µs",
        < 0.9995 => $"{Short(value * 1_000)} ms",
        < 60 => string.Create(CultureInfo.InvariantCulture, $"{value:0.0} s"),
        _ => Span(TimeSpan.FromSeconds(value)),
    };

    /// <summary>A length of time: 35 s, 2 min, 3 h 5 min, 2 d 4 h.</summary>
    public static string Span(TimeSpan time) => time.TotalSeconds switch
    {
        < 0 => "0 s",
        < 60 => $"{(int)time.TotalSeconds} s",
        < 3_600 => $"{(int)time.TotalMinutes} min",
        < 86_400 => $"{time.Hours} h {time.Minutes} min",
        _ => $"{time.Days} d {time.Hours} h",
    };

    /// <summary>"22:04:10 (2 min)"; with the date unless it was today.</summary>
    public static string Since(DateTime time, DateTime now) =>
        string.Create(CultureInfo.InvariantCulture, $"{(time.Date == now.Date ? string.Empty : $"{time:yyyy-MM-dd} ")}{time:HH:mm:ss} ({Span(now - time)})");

    // Two digits at least: 1.2, 12, 1,234.
    private static string Short(double value) => value.ToString(value >= 9.95 ? "N0" : "0.#", CultureInfo.InvariantCulture);
}
