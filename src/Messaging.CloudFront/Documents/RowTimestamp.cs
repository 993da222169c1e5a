namespace Quayside.Messaging.CloudFront.Documents;

/// <summary>The timestamp of a row, from its columns <c>date</c> (yyyy-MM-dd) and <c>time</c> (HH:mm:ss), which CloudFront writes in UTC.</summary>
internal static class RowTimestamp
{
    /// <summary>Bytes of <c>2026-01-31T10:00:00Z</c>.</summary>
    public const int Length = DateLength + 1 + TimeLength + 1;

    private const int DateLength = 10;
    private const int TimeLength = 8;

    /// <summary>Writes the timestamp as RFC 3339, section 5.6, in UTC.</summary>
    /// <param name="date">The column's bytes.</param>
    /// <param name="time">The column's bytes.</param>
    /// <param name="target">At least <see cref="Length"/> bytes.</param>
    /// <returns>False when the columns are not a date and a time; the content of <paramref name="target"/> is then undefined.</returns>
    public static bool TryWrite(ReadOnlySpan<byte> date, ReadOnlySpan<byte> time, Span<byte> target)
    {
        if (date is not [_, _, _, _, (byte)'-', _, _, (byte)'-', _, _] || time is not [_, _, (byte)':', _, _, (byte)':', _, _])
        {
            return false;
        }

        int year = Number(date[..4]);
        int month = Number(date[5..7]);
        if (year < 1 || month is < 1 or > 12)
        {
            return false;
        }

        int day = Number(date[8..]);
        if (day < 1 || day > DateTime.DaysInMonth(year, month)
            || Number(time[..2]) is < 0 or > 23 || Number(time[3..5]) is < 0 or > 59 || Number(time[6..]) is < 0 or > 59)
        {
            return false;
        }

        date.CopyTo(target);
        target[DateLength] = (byte)'T';
        time.CopyTo(target[(DateLength + 1)..]);
        target[Length - 1] = (byte)'Z';
        return true;
    }

    /// <returns>-1 when a byte is not a digit.</returns>
    private static int Number(ReadOnlySpan<byte> digits)
    {
        int number = 0;
        foreach (byte digit in digits)
        {
            if (!char.IsAsciiDigit((char)digit))
            {
                return -1;
            }

            number = (number * 10) + digit - '0';
        }

        return number;
    }
}
