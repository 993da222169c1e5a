using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Tests.Shared.ReadableKeys;

/// <summary>The dates of docs/reference/object-keys.md, by the framework's own parsers.</summary>
internal static partial class ReadableDate
{
    private const int MaxEpochDigits = 18;

    private static readonly string[] TimeForms = ["HH:mm", "HH:mm:ss"];
    private static readonly string[] OffsetForms = ["hh", "hhmm", @"hh\:mm"];

    public static bool TryParse(string text, [NotNullWhen(true)] out DateTime? utc)
    {
        utc = null;
        const int DateLength = 10;
        if (text.Length < DateLength
            || !DateOnly.TryParseExact(text[..DateLength], "yyyy-MM-dd", CultureInfo.InvariantCulture, DateTimeStyles.None, out DateOnly date))
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

    /// <summary>Seconds or milliseconds since 1970, by decimal arithmetic.</summary>
    public static bool TryParseEpoch(string text, bool isMilliseconds, [NotNullWhen(true)] out DateTime? utc)
    {
        utc = null;
        string whole = text.Split('.')[0].TrimStart('-');
        if (whole.Length > MaxEpochDigits || !EpochText().IsMatch(text))
        {
            return false;
        }

        // Cuts a fraction with more digits than a decimal holds: before 1970 any non-zero digit has the same effect on the second.
        string cut = text.Length > 28 ? text[..28] : text;
        decimal count = decimal.Floor(decimal.Parse(cut, NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture));
        try
        {
            utc = DateTime.UnixEpoch.AddTicks(checked((long)count * (isMilliseconds ? TimeSpan.TicksPerMillisecond : TimeSpan.TicksPerSecond)));
            return true;
        }
        catch (Exception exception) when (exception is ArgumentOutOfRangeException or OverflowException)
        {
            return false;
        }
    }

    private static (string Clock, string Zone) SplitZone(string time)
    {
        int zone = time.IndexOfAny(['Z', 'z', '+', '-']);
        return zone < 0 ? (time, "") : (time[..(zone > 0 && time[zone - 1] == ' ' ? zone - 1 : zone)], time[zone..]);
    }

    private static bool TryParseClock(string clock, out TimeOnly time)
    {
        string[] parts = clock.Split('.', ',');
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

    [GeneratedRegex(@"\A-?[0-9]+(\.[0-9]+)?\z", RegexOptions.ExplicitCapture)]
    private static partial Regex EpochText();
}
