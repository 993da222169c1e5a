using System.Globalization;
using System.Text;

namespace Quayside.Messaging.Archive.Headers;

/// <summary>
/// Dates in other forms than ISO 8601's extended one. Known forms are rewritten as that one; the formats of the settings are parsed by the
/// framework. Immutable. 0 bytes allocated.
/// </summary>
internal sealed class DateForms
{
    // A longer text is no date: the longest form and ten digits of a fraction fit.
    private const int MaxLength = 64;

    private const int CompactDate = 8;
    private const int CompactMinutes = 4;
    private const int CompactSeconds = 6;

    private readonly string[] _formats;

    /// <param name="formats">Custom format strings of .NET, tried in order when a date has no known form.</param>
    public DateForms(IEnumerable<string> formats) => _formats = [.. formats];

    /// <summary>No formats of its own.</summary>
    public static DateForms Known { get; } = new([]);

    private static ReadOnlySpan<byte> Months => "JanFebMarAprMayJunJulAugSepOctNovDec"u8;

    private static ReadOnlySpan<byte> Days => "MonTueWedThuFriSatSun"u8;

    /// <summary>Says what is wrong with a format; null when dates can be read with it.</summary>
    public static string? FindProblem(string format)
    {
        DateTimeOffset sample = new(2026, 11, 23, 0, 0, 0, TimeSpan.Zero);
        try
        {
            string text = sample.ToString(format, CultureInfo.InvariantCulture);
            return !TryParseExact(text, format, out DateTimeOffset read) || read != sample ? "it does not give the year, the month and the day"
                : text.Length > MaxLength ? $"its dates are longer than {MaxLength} characters"
                : null;
        }
        catch (FormatException)
        {
            return "it is not a custom date format of .NET";
        }
    }

    /// <summary>Reads a date that <see cref="HeaderDate.TryParse(ReadOnlySpan{byte}, out HeaderDate)"/> does not know.</summary>
    /// <param name="text">UTF-8, only the date.</param>
    /// <param name="date">The date in UTC; default when false is returned.</param>
    public bool TryParse(ReadOnlySpan<byte> text, out HeaderDate date)
    {
        date = default;
        if (text.Length > MaxLength)
        {
            return false;
        }

        // Each form grows by its separators at most.
        Span<byte> iso = stackalloc byte[MaxLength + 8];
        Rewriter rewriter = new(text, iso);
        if (rewriter.TryRewrite() && HeaderDate.TryParse(iso[..rewriter.Written], out date))
        {
            return true;
        }

        return _formats.Length > 0 && TryFormats(text, out date);
    }

    private bool TryFormats(ReadOnlySpan<byte> text, out HeaderDate date)
    {
        Span<char> characters = stackalloc char[MaxLength];
        int length = Encoding.UTF8.GetChars(text, characters);
        foreach (string format in _formats)
        {
            if (TryParseExact(characters[..length], format, out DateTimeOffset read))
            {
                date = HeaderDate.Of(read.UtcDateTime);
                return true;
            }
        }

        date = default;
        return false;
    }

    private static bool TryParseExact(ReadOnlySpan<char> text, string format, out DateTimeOffset read) =>
        DateTimeOffset.TryParseExact(text, format, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal | DateTimeStyles.AllowWhiteSpaces, out read);

    private static int NumberOf(ReadOnlySpan<byte> name, ReadOnlySpan<byte> names)
    {
        const int Length = 3;
        for (int at = 0; at < names.Length; at += Length)
        {
            if (name.StartsWith(names.Slice(at, Length)))
            {
                return (at / Length) + 1;
            }
        }

        return 0;
    }

    /// <summary>Writes a date as <c>yyyy-MM-ddTHH:mm:ss.fZ</c>. It checks no more than it must: the result is parsed.</summary>
    private ref struct Rewriter(ReadOnlySpan<byte> text, Span<byte> iso)
    {
        private readonly Span<byte> _iso = iso;
        private ReadOnlySpan<byte> _rest = text;

        public int Written { get; private set; }

        public bool TryRewrite()
        {
            int digits = _rest.IndexOfAnyExceptInRange((byte)'0', (byte)'9');
            digits = digits < 0 ? _rest.Length : digits;
            return digits switch
            {
                CompactDate => TryCompact(),
                4 => TryExtended(),
                _ => TryInternet(),
            };
        }

        // 20260131T100000Z
        private bool TryCompact()
        {
            Take(4);
            Put((byte)'-');
            Take(2);
            Put((byte)'-');
            Take(2);
            if (_rest.IsEmpty)
            {
                return true;
            }

            int digits = _rest[1..].IndexOfAnyExceptInRange((byte)'0', (byte)'9');
            digits = digits < 0 ? _rest.Length - 1 : digits;
            if (digits is not (CompactMinutes or CompactSeconds))
            {
                return false;
            }

            Take(3);
            Put((byte)':');
            Take(2);
            if (digits == CompactSeconds)
            {
                Put((byte)':');
                Take(2);
            }

            return TryRestOfTime();
        }

        // 2026/01/31 10:00:00,123 +0000
        private bool TryExtended()
        {
            const int DateLength = 10;
            const int MinuteEnd = 16;
            const int SecondEnd = 19;
            if (_rest.Length < DateLength || _rest[4] != _rest[7] || _rest[4] is not ((byte)'-' or (byte)'/'))
            {
                return false;
            }

            int clock = _rest.Length >= SecondEnd && _rest[MinuteEnd] == ':' ? SecondEnd : MinuteEnd;
            Take(_rest.Length < clock ? _rest.Length : clock);
            _iso[4] = (byte)'-';
            _iso[7] = (byte)'-';
            return TryRestOfTime();
        }

        // Sat, 31 Jan 2026 10:00:00 GMT, with one or two digits for the day and with or without the name of the day.
        private bool TryInternet()
        {
            if (NumberOf(_rest, Days) > 0 && _rest[3..].StartsWith(", "u8))
            {
                _rest = _rest[5..];
            }

            int dayLength = _rest.IndexOf((byte)' ');
            int after = dayLength + 1;
            if (dayLength is not (1 or 2) || _rest.Length < after + 14 || _rest[after + 3] != ' ' || _rest[after + 8] != ' ')
            {
                return false;
            }

            int month = NumberOf(_rest[after..], Months);
            ReadOnlySpan<byte> day = _rest[..dayLength];
            _rest = _rest[(after + 4)..];
            Take(4);
            Put((byte)'-');
            PutTwo(month);
            Put((byte)'-');
            if (dayLength == 1)
            {
                Put((byte)'0');
            }

            day.CopyTo(_iso[Written..]);
            Written += dayLength;
            Put((byte)'T');
            _rest = _rest[1..];
            const int Minutes = 5;
            const int Seconds = 8;
            Take(_rest.Length >= Seconds && _rest[Minutes] == ':' ? Seconds : Minutes);
            return TryRestOfTime();
        }

        // A fraction after a comma or a dot, and a zone after a blank or none.
        private bool TryRestOfTime()
        {
            if (_rest is [(byte)'.' or (byte)',', ..])
            {
                Put((byte)'.');
                int digits = _rest[1..].IndexOfAnyExceptInRange((byte)'0', (byte)'9');
                digits = digits < 0 ? _rest.Length - 1 : digits;
                if (digits == 0)
                {
                    return false;
                }

                _rest = _rest[1..];
                Take(digits);
            }

            if (_rest is [(byte)' ', _, ..])
            {
                _rest = _rest[1..];
                if (_rest.SequenceEqual("GMT"u8) || _rest.SequenceEqual("UTC"u8))
                {
                    _rest = "Z"u8;
                }
                else if (_rest[0] is not ((byte)'Z' or (byte)'z' or (byte)'+' or (byte)'-'))
                {
                    return false;
                }
            }

            Take(_rest.Length);
            return true;
        }

        private void Take(int length)
        {
            _rest[..length].CopyTo(_iso[Written..]);
            Written += length;
            _rest = _rest[length..];
        }

        private void Put(byte character) => _iso[Written++] = character;

        private void PutTwo(int number)
        {
            Put((byte)('0' + (number / 10)));
            Put((byte)('0' + (number % 10)));
        }
    }
}
