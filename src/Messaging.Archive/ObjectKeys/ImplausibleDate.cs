using System.Globalization;
using Messaging.Archive.Headers;

namespace Messaging.Archive.ObjectKeys;

/// <summary>Detects dates that hardly any message means, which a wrong unit or a wrong clock makes.</summary>
internal static class ImplausibleDate
{
    /// <summary>Dates before this year are implausible.</summary>
    public const int FirstYear = 1990;

    /// <summary>True for a date before 1990 or more than a year after the clock. Allocates nothing.</summary>
    public static bool IsImplausible(HeaderDate date, DateTimeOffset now) =>
        date.Year < FirstYear || new DateTime(date.Year, date.Month, date.Day, date.Hour, date.Minute, date.Second, DateTimeKind.Utc) > now.UtcDateTime.AddYears(1);

    /// <summary>Says why a date is implausible; null when it is plausible.</summary>
    /// <param name="date">A date.</param>
    /// <param name="now">This machine's clock.</param>
    public static string? Find(HeaderDate date, DateTimeOffset now) => !IsImplausible(date, now) ? null
        : date.Year < FirstYear ? string.Create(CultureInfo.InvariantCulture, $"before {FirstYear}")
        : string.Create(CultureInfo.InvariantCulture, $"more than a year after this machine's clock ({now.UtcDateTime:yyyy-MM-dd})");

    /// <summary>Names the rule that would make a date plausible; empty when no other unit does.</summary>
    /// <param name="value">The value that the date was read from.</param>
    /// <param name="use">How it was read.</param>
    /// <param name="now">This machine's clock.</param>
    public static string SuggestUnit(ReadOnlySpan<byte> value, HeaderUse use, DateTimeOffset now)
    {
        bool isMilliseconds = use.HasFlag(HeaderUse.EpochMs);
        if (!(isMilliseconds || use.HasFlag(HeaderUse.Epoch)) || !HeaderDate.TryParseEpoch(value, !isMilliseconds, out HeaderDate other) || Find(other, now) is not null)
        {
            return string.Empty;
        }

        return isMilliseconds
            ? $". As seconds the value is {Show(other)}: use the rule epoch instead of epochms"
            : $". As milliseconds the value is {Show(other)}: use the rule epochms instead of epoch";
    }

    /// <summary>The date in UTC, as ISO 8601.</summary>
    public static string Show(HeaderDate date) =>
        string.Create(CultureInfo.InvariantCulture, $"{date.Year:0000}-{date.Month:00}-{date.Day:00}T{date.Hour:00}:{date.Minute:00}:{date.Second:00}Z");
}
