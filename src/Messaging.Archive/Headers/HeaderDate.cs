using System.Buffers.Text;
using System.Runtime.InteropServices;

namespace Quayside.Messaging.Archive.Headers;

/// <summary>
/// A date and time of day in UTC, split into the fields that keys are made of. The default value means "no date".
/// Fractions of a second are dropped.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct HeaderDate(ushort Year, byte Month, byte Day, byte Hour, byte Minute, byte Second)
{
    private const int DateLength = 10;

    // So far below zero that no arithmetic on it comes out as a valid field.
    private const int NotDigits = -1_000_000;

    // Enough for today's nanoseconds. More digits than a long holds are refused when they are parsed.
    private const int MaxEpochDigits = 19;

    /// <summary>True when there is a date; years start at 1.</summary>
    public bool HasValue => Year != 0;

    // The serialised form of .NET's default(DateTime), which publishers send for "no date".
    private static readonly HeaderDate NoDate = new(1, 1, 1, 0, 0, 0);

    /// <summary>Reads a date of one kind.</summary>
    /// <param name="text">UTF-8, only the date.</param>
    /// <param name="use">The kind.</param>
    /// <param name="forms">The forms other than ISO 8601's extended one.</param>
    /// <param name="date">The date in UTC; no date for the first second of year 1, and when false is returned.</param>
    public static bool TryParse(ReadOnlySpan<byte> text, HeaderUse use, DateForms forms, out HeaderDate date)
    {
        bool isDate = use == HeaderUse.Date ? TryParse(text, out date) || forms.TryParse(text, out date) : TryParseEpoch(text, use, out date);
        if (date.Year == 1 && date == NoDate)
        {
            date = default;
        }

        return isDate;
    }

    /// <summary>Reads the time since 1970-01-01T00:00:00Z: decimal digits, with an optional minus sign and fraction.</summary>
    /// <param name="text">ASCII, only the number.</param>
    /// <param name="unit">One of <see cref="HeaderUse.AnyEpoch"/>: the unit of the number.</param>
    /// <param name="date">The date in UTC; default when false is returned.</param>
    public static bool TryParseEpoch(ReadOnlySpan<byte> text, HeaderUse unit, out HeaderDate date)
    {
        date = default;
        ReadOnlySpan<byte> digits = text.StartsWith((byte)'-') ? text[1..] : text;
        int whole = digits.IndexOfAnyExceptInRange((byte)'0', (byte)'9');
        whole = whole < 0 ? digits.Length : whole;
        ReadOnlySpan<byte> fraction = digits[whole..];
        bool hasFraction = fraction.Length > 1 && fraction[0] == '.' && !fraction[1..].ContainsAnyExceptInRange((byte)'0', (byte)'9');
        if (whole is 0 or > MaxEpochDigits || !(fraction.IsEmpty || hasFraction) || !Utf8Parser.TryParse(digits[..whole], out long count, out _))
        {
            return false;
        }

        if (digits.Length < text.Length)
        {
            // Before 1970 a fraction belongs to the previous second.
            count = -count - (hasFraction && fraction[1..].ContainsAnyExcept((byte)'0') ? 1 : 0);
        }

        (long seconds, long rest) = Math.DivRem(count, PerSecond(unit));
        seconds -= rest < 0 ? 1 : 0;
        if (seconds < (DateTime.MinValue.Ticks - DateTime.UnixEpoch.Ticks) / TimeSpan.TicksPerSecond
            || seconds > (DateTime.MaxValue.Ticks - DateTime.UnixEpoch.Ticks) / TimeSpan.TicksPerSecond)
        {
            return false;
        }

        date = Of(DateTime.UnixEpoch.AddTicks(seconds * TimeSpan.TicksPerSecond));
        return true;
    }

    /// <summary>
    /// Reads the ISO 8601 forms <c>yyyy-MM-dd</c> and <c>yyyy-MM-ddTHH:mm[:ss[.f…]][Z|±HH|±HHmm|±HH:mm]</c>; <c>t</c> or one blank may
    /// replace <c>T</c>, and <c>z</c> may replace <c>Z</c> (RFC 3339, section 5.6). An offset is converted to UTC; a time without one is
    /// UTC. A fraction may have any number of digits. It rejects 24:00, second 60 and dates outside the years 1 to 9999.
    /// </summary>
    /// <param name="text">UTF-8, only the date.</param>
    /// <param name="date">The date in UTC; default when false is returned.</param>
    public static bool TryParse(ReadOnlySpan<byte> text, out HeaderDate date)
    {
        date = default;
        if (text.Length < DateLength || text[4] != '-' || text[7] != '-')
        {
            return false;
        }

        int year = (Digits(text, 0) * 100) + Digits(text, 2);
        int month = Digits(text, 5);
        int day = Digits(text, 8);
        if (year is < 1 or > 9999 || (uint)(month - 1) >= 12 || day < 1 || day > DateTime.DaysInMonth(year, month))
        {
            return false;
        }

        if (text.Length == DateLength)
        {
            date = new HeaderDate((ushort)year, (byte)month, (byte)day, 0, 0, 0);
            return true;
        }

        return TryParseTime(text, new HeaderDate((ushort)year, (byte)month, (byte)day, 0, 0, 0), out date);
    }

    private static bool TryParseTime(ReadOnlySpan<byte> text, HeaderDate day, out HeaderDate date)
    {
        const int MinuteEnd = 16;
        date = default;
        if (text.Length < MinuteEnd || text[10] is not ((byte)'T' or (byte)'t' or (byte)' ') || text[13] != ':')
        {
            return false;
        }

        int hour = Digits(text, 11);
        int minute = Digits(text, 14);
        int second = 0;
        int at = MinuteEnd;
        if (at < text.Length && text[at] == ':')
        {
            second = at + 3 <= text.Length ? Digits(text, at + 1) : NotDigits;
            at += 3;
            if (at < text.Length && text[at] == '.')
            {
                int digits = text[(at + 1)..].IndexOfAnyExceptInRange((byte)'0', (byte)'9');
                digits = digits < 0 ? text.Length - at - 1 : digits;
                second = digits == 0 ? NotDigits : second;
                at += 1 + digits;
            }
        }

        if ((uint)hour > 23 || (uint)minute > 59 || (uint)second > 59)
        {
            return false;
        }

        date = day with { Hour = (byte)hour, Minute = (byte)minute, Second = (byte)second };
        return at == text.Length
            || (at == text.Length - 1 && text[at] is (byte)'Z' or (byte)'z')
            || TryConvertToUtc(text[at..], ref date);
    }

    private static bool TryConvertToUtc(ReadOnlySpan<byte> offset, ref HeaderDate date)
    {
        int minutes = offset.Length switch
        {
            3 => 0,
            5 => Digits(offset, 3),
            6 when offset[3] == ':' => Digits(offset, 4),
            _ => NotDigits,
        };
        int hours = offset.Length >= 3 ? Digits(offset, 1) : NotDigits;
        int sign = offset[0] switch { (byte)'+' => 1, (byte)'-' => -1, _ => 0 };
        if (sign == 0 || (uint)hours > 23 || (uint)minutes > 59)
        {
            date = default;
            return false;
        }

        long ticks = new DateTime(date.Year, date.Month, date.Day, date.Hour, date.Minute, date.Second, DateTimeKind.Utc).Ticks
            - (sign * ((hours * TimeSpan.TicksPerHour) + (minutes * TimeSpan.TicksPerMinute)));
        if (ticks < DateTime.MinValue.Ticks || ticks > DateTime.MaxValue.Ticks)
        {
            date = default;
            return false;
        }

        date = Of(new DateTime(ticks, DateTimeKind.Utc));
        return true;
    }

    /// <summary>The same moment in a time zone.</summary>
    public HeaderDate In(TimeZoneInfo zone) =>
        Of(TimeZoneInfo.ConvertTimeFromUtc(new DateTime(Year, Month, Day, Hour, Minute, Second, DateTimeKind.Utc), zone));

    /// <summary>The date of a moment in UTC.</summary>
    internal static HeaderDate Of(DateTime utc) =>
        new((ushort)utc.Year, (byte)utc.Month, (byte)utc.Day, (byte)utc.Hour, (byte)utc.Minute, (byte)utc.Second);

    private static long PerSecond(HeaderUse unit) => unit switch
    {
        HeaderUse.Epoch => 1,
        HeaderUse.EpochMs => 1_000,
        HeaderUse.EpochUs => 1_000_000,
        _ => 1_000_000_000,
    };

    private static int Digits(ReadOnlySpan<byte> text, int at)
    {
        uint tens = (uint)(text[at] - '0');
        uint ones = (uint)(text[at + 1] - '0');
        return tens <= 9 && ones <= 9 ? (int)((tens * 10) + ones) : NotDigits;
    }
}
