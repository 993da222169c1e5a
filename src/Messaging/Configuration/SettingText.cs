using System.Globalization;
using System.Text.RegularExpressions;

namespace Quayside.Messaging.Configuration;

/// <summary>The text forms of values in configuration: <c>250ms</c>, <c>20s</c>, <c>5m</c>, <c>00:00:20</c>; <c>64MiB</c>, <c>1024</c>.</summary>
internal static partial class SettingText
{
    private const string Minutes = "yyyy-MM-dd'T'HH:mm";
    private const string Seconds = $"{Minutes}:ss.FFFFFFF";

    private static readonly (string Suffix, long Factor)[] ByteUnits =
        [("KiB", 1L << 10), ("MiB", 1L << 20), ("GiB", 1L << 30), ("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("B", 1)];

    private static readonly Type[] Readable = [
        typeof(string), typeof(string[]), typeof(bool), typeof(int), typeof(long), typeof(double), typeof(decimal), typeof(TimeSpan), typeof(DateTimeOffset),
        typeof(Uri), typeof(IReadOnlyDictionary<string, string>)];

    // ISO 8601 with an offset: without one, the meaning would depend on the machine.
    private static readonly string[] Instants = [$"{Minutes}'Z'", $"{Minutes}zzz", $"{Seconds}'Z'", $"{Seconds}zzz"];

    private static readonly (string Suffix, double Milliseconds)[] TimeUnits =
        [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

    /// <summary>True for the types that <see cref="TryParse"/> knows.</summary>
    internal static bool IsReadable(Type type)
    {
        Type target = Nullable.GetUnderlyingType(type) ?? type;
        return target.IsEnum || Array.IndexOf(Readable, target) >= 0;
    }

    /// <summary>Parses <paramref name="text"/> as <paramref name="type"/>; false when it has another form.</summary>
    internal static bool TryParse(string text, Type type, bool bytes, out object? value)
    {
        text = text.Trim();
        value = null;
        Type target = Nullable.GetUnderlyingType(type) ?? type;
        if (target == typeof(string))
        {
            value = text;
        }
        else if (target == typeof(bool) && bool.TryParse(text, out bool flag))
        {
            value = flag;
        }
        else if (target == typeof(int) && TryParseNumber(text, bytes, out long small) && small is >= int.MinValue and <= int.MaxValue)
        {
            value = (int)small;
        }
        else if (target == typeof(long) && TryParseNumber(text, bytes, out long number))
        {
            value = number;
        }
        else if (target == typeof(double) && double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out double real) && double.IsFinite(real))
        {
            value = real;
        }
        else if (target == typeof(decimal) && decimal.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out decimal exact))
        {
            value = exact;
        }
        else if (target == typeof(DateTimeOffset)
            && DateTimeOffset.TryParseExact(text, Instants, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out DateTimeOffset instant))
        {
            value = instant;
        }
        else if (target == typeof(TimeSpan) && TryParseTime(text, out TimeSpan time))
        {
            value = time;
        }
        else if (target == typeof(Uri) && text.Contains("://", StringComparison.Ordinal) && Uri.TryCreate(text, UriKind.Absolute, out Uri? uri))
        {
            value = uri;
        }
        else if (target == typeof(string[]))
        {
            value = text.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        }
        else if (target.IsEnum && Enum.GetNames(target).FirstOrDefault(name => string.Equals(name, text, StringComparison.OrdinalIgnoreCase)) is { } member)
        {
            // Only names are accepted: Enum.TryParse would also accept numbers and names separated by commas.
            value = Enum.Parse(target, member);
        }

        return value is not null;
    }

    /// <summary>What a value of <paramref name="type"/> looks like, for error messages.</summary>
    /// <param name="type">The setting's type.</param>
    /// <param name="bytes">Whether a number counts bytes.</param>
    /// <param name="address">The default value of a <see cref="Uri"/> setting; null where it has none.</param>
    internal static string Expected(Type type, bool bytes, Uri? address = null)
    {
        Type target = Nullable.GetUnderlyingType(type) ?? type;
        return target switch
        {
            _ when target == typeof(bool) => "true or false",
            _ when bytes => "a number of bytes such as 65536 or 64KiB",
            _ when target == typeof(int) || target == typeof(long) => "a whole number",
            _ when target == typeof(double) || target == typeof(decimal) => "a number",
            _ when target == typeof(DateTimeOffset) => "a time with its offset such as 2026-01-31T10:00:00Z or 2026-01-31T11:00:00+01:00",
            _ when target == typeof(TimeSpan) => "a time such as 250ms, 20s, 5m or 00:00:20",
            _ when target == typeof(Uri) =>
                address is null
                    ? "an absolute address that begins with http:// or https://"
                    : $"an absolute address such as {address.OriginalString}, with a port up to 65535",
            _ when target.IsEnum => $"one of {string.Join(", ", Enum.GetNames(target))}",
            _ => "text",
        };
    }

    /// <summary>The shortest text of a time that a setting accepts: <c>250ms</c>, <c>20s</c>, <c>5m</c>, <c>2h</c>.</summary>
    public static string Format(TimeSpan time)
    {
        double milliseconds = time.TotalMilliseconds;
        foreach ((string suffix, double unit) in Enumerable.Reverse(TimeUnits))
        {
            if (suffix != "d" && milliseconds >= unit && milliseconds % unit == 0)
            {
                return (milliseconds / unit).ToString(CultureInfo.InvariantCulture) + suffix;
            }
        }

        return milliseconds.ToString(CultureInfo.InvariantCulture) + "ms";
    }

    /// <summary>The shortest text of a number of bytes that a setting accepts: <c>1500</c>, <c>64KiB</c>, <c>8MiB</c>.</summary>
    public static string FormatBytes(long bytes)
    {
        foreach ((string suffix, long factor) in (ReadOnlySpan<(string, long)>)[("GiB", 1L << 30), ("MiB", 1L << 20), ("KiB", 1L << 10)])
        {
            if (bytes >= factor && bytes % factor == 0)
            {
                return (bytes / factor).ToString(CultureInfo.InvariantCulture) + suffix;
            }
        }

        return bytes.ToString(CultureInfo.InvariantCulture);
    }

    /// <summary>The canonical text of a value, which the reader accepts.</summary>
    internal static string Format(object? value, bool bytes) => value switch
    {
        null => string.Empty,
        bool flag => flag ? "true" : "false",
        TimeSpan time => Format(time),
        DateTimeOffset instant => instant.ToString(instant.Offset == TimeSpan.Zero ? Instants[2] : Instants[3], CultureInfo.InvariantCulture),
        int number when bytes => FormatBytes(number),
        long number when bytes => FormatBytes(number),
        string[] list => string.Join(", ", list),
        IReadOnlyDictionary<string, string> named => string.Join(", ", named.Select(one => $"{one.Key}={one.Value}")),
        IFormattable other => other.ToString(null, CultureInfo.InvariantCulture),
        _ => value.ToString() ?? string.Empty,
    };

    /// <summary>
    /// Masks what may be a secret in a value that is shown: user, password, query and fragment of an address, and in any text what follows names such as
    /// <c>SharedAccessKey=</c>, <c>sig=</c> and <c>Password=</c>. An address or a name is often where a connection string was meant.
    /// </summary>
    /// <param name="text">The value.</param>
    public static string Mask(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        const string Separator = "://";
        int start = text.IndexOf(Separator, StringComparison.Ordinal) + Separator.Length;
        if (start >= Separator.Length)
        {
            // The last '@': an earlier one may belong to a password that was not escaped. An '&' belongs to a query whose start is masked already.
            int at = text.LastIndexOf('@');
            string shown = at < start ? text : $"{text[..start]}***{text[at..]}";
            int query = shown.AsSpan(start).IndexOfAny('?', '#', '&');
            text = query < 0 || start + query + 1 == shown.Length ? shown : $"{shown[..(start + query + 1)]}***";
        }

        return SecretPart().Replace(Credentials().Replace(Pem().Replace(text, "***"), "***@"), "${name}***");
    }

    /// <summary>Masks as <see cref="Mask"/> does in each word and each quoted part of a sentence.</summary>
    /// <param name="text">The sentence.</param>
    internal static string MaskWords(string text) => Words().Replace(
        Pem().Replace(text, "***"),
        static word => word.Value is [('"' or '\'') and var quote, .. var quoted, '"' or '\''] ? $"{quote}{Mask(quoted)}{quote}" : Mask(word.Value));

    /// <summary>A value as it is shown: masked as a whole where its name says that it is a secret.</summary>
    internal static string MaskNamed(string name, string value) => Mask($"{name}=x").EndsWith("***", StringComparison.Ordinal) ? "***" : Mask(value);

    // The content of a PEM file, which may be a private key, where its path was meant.
    [GeneratedRegex("""-----BEGIN.*?(?:-----END[^"]*?-----|$)""", RegexOptions.Singleline | RegexOptions.CultureInvariant)]
    private static partial Regex Pem();

    // An apostrophe within a word quotes nothing.
    [GeneratedRegex("""(?<=^|[\s(=])(?:"[^"]+"|'[^']+')|[^\s"]+""", RegexOptions.CultureInvariant)]
    private static partial Regex Words();

    // Without a scheme; not of a template.
    [GeneratedRegex("""[^\s:/@,"'{}*]+:[^\s/@,"'{}*]+@""")]
    private static partial Regex Credentials();

    // Of a template such as key={Key}, the value is no secret. With a colon as in headers and JSON, only a whole name, as a setting's key has colons.
    [GeneratedRegex(
        """
        (?<name>(?:key|signature|\bsig|password|pwd|secret|token|authorization)\s*=
            |\b(?:authorization|[\w-]*api-?key)"?\s*:\s*"?
            |\b(?:password|pwd|secret|token)"?\s*:[\s"]+
            |\b(?:bearer|basic)[ ])
        (?![{*])[^;&"]+
        """,
        RegexOptions.IgnorePatternWhitespace | RegexOptions.IgnoreCase | RegexOptions.CultureInvariant | RegexOptions.ExplicitCapture,
        matchTimeoutMilliseconds: Timeout.Infinite)]
    private static partial Regex SecretPart();

    private static bool TryParseNumber(string text, bool bytes, out long value)
    {
        if (long.TryParse(text, NumberStyles.Integer, CultureInfo.InvariantCulture, out value))
        {
            return true;
        }

        if (!bytes)
        {
            return false;
        }

        foreach ((string suffix, long factor) in ByteUnits)
        {
            if (text.EndsWith(suffix, StringComparison.OrdinalIgnoreCase)
                && long.TryParse(text.AsSpan(0, text.Length - suffix.Length).Trim(), NumberStyles.None, CultureInfo.InvariantCulture, out long count)
                && count <= long.MaxValue / factor)
            {
                value = count * factor;
                return true;
            }
        }

        return false;
    }

    private static bool TryParseTime(string text, out TimeSpan value)
    {
        foreach ((string suffix, double milliseconds) in TimeUnits)
        {
            if (text.EndsWith(suffix, StringComparison.OrdinalIgnoreCase)
                && double.TryParse(text.AsSpan(0, text.Length - suffix.Length).Trim(), NumberStyles.Float, CultureInfo.InvariantCulture, out double count)
                && double.IsFinite(count) && Math.Abs(count * milliseconds) < TimeSpan.MaxValue.TotalMilliseconds / 2)
            {
                // Rounded: TimeSpan.FromMilliseconds truncates, and 1.001 s would lose a tick.
                value = TimeSpan.FromTicks((long)Math.Round(count * milliseconds * TimeSpan.TicksPerMillisecond));
                return true;
            }
        }

        // Exactly [d.]hh:mm:ss[.fff]: TimeSpan.TryParse would read a bare number as days, 24:00:00 as 24 days and 5:00 as hours.
        value = default;
        return text.Count(':') == 2 && TimeSpan.TryParseExact(text, "c", CultureInfo.InvariantCulture, out value);
    }
}
