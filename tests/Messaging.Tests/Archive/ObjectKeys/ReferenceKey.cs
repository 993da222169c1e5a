using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using Quayside.Messaging.Archive.ObjectKeys;

namespace Messaging.Tests.Archive.ObjectKeys;

/// <summary>A second implementation of the key rules, written for readability, not speed: strings and regular expressions.</summary>
internal static partial class ReferenceKey
{
    public static string Of(ArchiveOptions options, IReadOnlyDictionary<string, string?> properties, byte[] sourceId)
    {
        string? idProperty = properties.GetValueOrDefault(options.MessageIdProperty);
        byte[] id = string.IsNullOrEmpty(idProperty) ? sourceId : Encoding.UTF8.GetBytes(idProperty);
        var levels = new List<string>();
        foreach (string level in SlashOutsideBraces().Split(options.Template))
        {
            bool isLeftOut = DatePlaceholder().Matches(level).Any(m => IsNoDate(properties.GetValueOrDefault(m.Groups[1].Value)));
            if (!isLeftOut)
            {
                levels.Add(Placeholder().Replace(level, m => Value(m, options, properties, id)));
            }
        }

        string prefix = options.KeyPrefix.TrimEnd('/');
        return (prefix == "" ? "" : prefix + "/") + string.Join('/', levels);
    }

    // The second is .NET's default(DateTime).
    private static bool IsNoDate(string? value) => string.IsNullOrEmpty(value) || Date(value) == DateTime.MinValue;

    public static string Part(string? value)
    {
        if (string.IsNullOrEmpty(value))
        {
            return "unknown";
        }

        return AllowedPart().IsMatch(value) ? value.Replace(' ', '_').ToLowerInvariant() : "invalid";
    }

    public static string Id(byte[] id)
    {
        var text = new StringBuilder();
        for (int i = 0; i < id.Length; i++)
        {
            char c = (char)id[i];
            bool isOuterDot = c == '.' && (i == 0 || i == id.Length - 1);
            text.Append(IdCharacter().IsMatch(c.ToString()) && !isOuterDot ? c.ToString() : "=" + id[i].ToString("x2", CultureInfo.InvariantCulture));
        }

        return text.Length <= 128 ? text.ToString() : "==" + Convert.ToHexStringLower(SHA256.HashData(id));
    }

    /// <summary>Decodes a short encoded id. Because a decoder exists, no two ids can share a key.</summary>
    public static byte[] DecodeId(string encoded)
    {
        var bytes = new List<byte>();
        for (int i = 0; i < encoded.Length; i++)
        {
            if (encoded[i] == '=')
            {
                bytes.Add(Convert.ToByte(encoded.Substring(i + 1, 2), 16));
                i += 2;
            }
            else
            {
                bytes.Add((byte)encoded[i]);
            }
        }

        return [.. bytes];
    }

    /// <summary>The date of a text, in UTC, or null.</summary>
    public static DateTime? Date(string text)
    {
        Match m = DateText().Match(text);
        m = m.Success ? m : CompactDateText().Match(text);
        m = m.Success ? m : InternetDateText().Match(text);
        if (!m.Success || text.Length > 64 && !IsoText().IsMatch(text))
        {
            return null;
        }

        int Number(string group) =>
            m.Groups[group].Length == 0
                ? 0
                : char.IsAsciiLetter(m.Groups[group].Value[0])
                ? (Months.IndexOf(m.Groups[group].Value, StringComparison.Ordinal) / 3) + 1
                : int.Parse(m.Groups[group].ValueSpan, CultureInfo.InvariantCulture);
        try
        {
            var local = new DateTime(Number("y"), Number("mo"), Number("d"), Number("h"), Number("mi"), Number("s"), DateTimeKind.Utc);
            if (Number("oh") > 23 || Number("om") > 59)
            {
                return null;
            }

            var offset = new TimeSpan(Number("oh"), Number("om"), 0);
            return m.Groups["sign"].Value == "-" ? local + offset : local - offset;
        }
        catch (ArgumentOutOfRangeException)
        {
            return null;
        }
    }

    private static string Value(Match placeholder, ArchiveOptions options, IReadOnlyDictionary<string, string?> properties, byte[] id)
    {
        string name = placeholder.Groups[1].Value;
        if (name == options.MessageIdProperty || name == "MessageId")
        {
            return Id(id);
        }

        string? value = properties.GetValueOrDefault(name);
        return placeholder.Groups[2].Success
            ? Date(value!)!.Value.ToString(placeholder.Groups[2].Value, CultureInfo.InvariantCulture)
            : Part(value);
    }

    [GeneratedRegex(@"/(?![^{]*\})")]
    private static partial Regex SlashOutsideBraces();

    [GeneratedRegex(@"\{([^{}:]+):[^{}]+\}")]
    private static partial Regex DatePlaceholder();

    [GeneratedRegex(@"\{([^{}:]+)(?::([^{}]+))?\}")]
    private static partial Regex Placeholder();

    [GeneratedRegex(@"\A[A-Za-z0-9_ ]{1,128}\z")]
    private static partial Regex AllowedPart();

    [GeneratedRegex(@"[a-z0-9_\-.]")]
    private static partial Regex IdCharacter();

    private const string Months = "JanFebMarAprMayJunJulAugSepOctNovDec";

    private const string Zone = @"(( ?([Zz]|(?<sign>[+-])(?<oh>[0-9]{2})(:?(?<om>[0-9]{2}))?))| GMT| UTC)?";

    private const string Fraction = @"([.,][0-9]+)?";

    [GeneratedRegex(
        @"\A(?<y>[0-9]{4})(?<sep>[-/])(?<mo>[0-9]{2})\k<sep>(?<d>[0-9]{2})([Tt ](?<h>[0-9]{2}):(?<mi>[0-9]{2})(:(?<s>[0-9]{2})" + Fraction + ")?" + Zone
            + @")?\z", RegexOptions.ExplicitCapture)]
    private static partial Regex DateText();

    [GeneratedRegex(
        @"\A(?<y>[0-9]{4})(?<mo>[0-9]{2})(?<d>[0-9]{2})([Tt ](?<h>[0-9]{2})(?<mi>[0-9]{2})((?<s>[0-9]{2})" + Fraction + ")?" + Zone + @")?\z",
        RegexOptions.ExplicitCapture)]
    private static partial Regex CompactDateText();

    [GeneratedRegex(
        @"\A((Mon|Tue|Wed|Thu|Fri|Sat|Sun), )?(?<d>[0-9]{1,2}) (?<mo>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (?<y>[0-9]{4}) (?<h>[0-9]{2}):(?<mi>[0-9]{2})(:(?<s>[0-9]{2})" + Fraction + ")?" + Zone + @"\z", RegexOptions.ExplicitCapture)]
    private static partial Regex InternetDateText();

    // ISO 8601's extended form may be as long as it likes.
    [GeneratedRegex(
        @"\A(?<y>[0-9]{4})-(?<mo>[0-9]{2})-(?<d>[0-9]{2})([Tt ](?<h>[0-9]{2}):(?<mi>[0-9]{2})(:(?<s>[0-9]{2})(\.[0-9]+)?)?([Zz]|(?<sign>[+-])(?<oh>[0-9]{2})(:?(?<om>[0-9]{2}))?)?)?\z", RegexOptions.ExplicitCapture)]
    private static partial Regex IsoText();
}
