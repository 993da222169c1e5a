using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Tests.Shared.ReadableKeys;

/// <summary>The dates of docs/object-keys.md, by the framework's own parsers.</summary>
internal static class ReadableDate
{
    private static readonly string[] TimeForms = ["HH:mm", "HH:mm:ss"];
    private static readonly string[] OffsetForms = ["hh", "hhmm", @"hh\:mm"];

    public static bool TryParse(string text, [NotNullWhen(true)] out DateTime? utc)
    {
        utc = null;
        const int DateLength = 10;
        if (text.Length < DateLength || !DateOnly.TryParseExact(text[..DateLength], "yyyy-MM-dd", CultureInfo.InvariantCulture, DateTimeStyles.None, out DateOnly date))
        {
            return false;
        }

        if (text.Length == DateLength)
        {
            utc = date.ToDateTime(TimeOnly.MinValue, DateTimeKind.Utc);
            return true;
        }

        if (text[DateLength] is not ('T' or 't' or ' '))
        {
            return false;
        }

        (string clock, string zone) = SplitZone(text[(DateLength + 1)..]);
        if (!TryParseClock(clock, out TimeOnly time) || !TryParseZone(zone, out TimeSpan offset))
        {
            return false;
        }

        try
        {
            utc = date.ToDateTime(time, DateTimeKind.Utc) - offset;
            return true;
        }
        catch (ArgumentOutOfRangeException)
        {
            // Before year 1 or after 9999 in UTC.
            return false;
        }
    }

    private static (string Clock, string Zone) SplitZone(string time)
    {
        int zone = time.IndexOfAny(['Z', 'z', '+', '-']);
        return zone < 0 ? (time, "") : (time[..zone], time[zone..]);
    }

    private static bool TryParseClock(string clock, out TimeOnly time)
    {
        string[] parts = clock.Split('.');
        bool fractionIsFine = parts.Length == 1
            || (parts.Length == 2 && parts[0].Length == "HH:mm:ss".Length && parts[1].Length > 0 && parts[1].All(char.IsAsciiDigit));
        return TimeOnly.TryParseExact(parts[0], TimeForms, CultureInfo.InvariantCulture, DateTimeStyles.None, out time) && fractionIsFine;
    }

    private static bool TryParseZone(string zone, out TimeSpan offset)
    {
        offset = TimeSpan.Zero;
        if (zone is "" or "Z" or "z")
        {
            return true;
        }

        bool parsed = TimeSpan.TryParseExact(zone[1..], OffsetForms, CultureInfo.InvariantCulture, out offset);
        offset = zone[0] == '-' ? -offset : offset;
        return parsed && (zone[0] is '+' or '-');
    }
}
