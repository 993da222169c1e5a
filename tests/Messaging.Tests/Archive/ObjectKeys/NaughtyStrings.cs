using System.Text;

namespace Messaging.Tests.Archive.ObjectKeys;

/// <summary>Values known to break keys, paths, parsers and logs. All can be written as JSON strings.</summary>
internal static class NaughtyStrings
{
    private static readonly string[] DotForms = [".", "=2e", "%2e", "%2E", "%252e", "%c0%ae", "\u3002", "\uFF0E", "\u2024"];
    private static readonly string[] SlashForms = ["/", "\\", "%2f", "%5c", "%252f", "\u2215", "\u2044", "\uFF0F", "\u29F8"];

    private static readonly string[] Texts =
    [
        "", " ", "   ", "\t", "\n", "\r\n", " lead", "trail ", "in side", "\u00A0", "\u200B", "\u3000", "\uFEFF",
        ".", "..", "...", "....", ".hidden", "trail.", "a..b", "a.b", "~", "~root", "-", "--", "_", "=", "==", "=41", "==41", "=zz", "A", "a",
        "/", "//", "/etc/passwd", "../../etc/passwd", "..\\..\\windows\\win.ini", "C:\\", "C:", "\\\\server\\share", "a/b", "a//b", "a/./b", "a/../b",
        "%", "%00", "%2e%2e", "%2e%2e%2f", "%252e%252e%252f", "..%c0%af", "%u002e", "&#46;&#46;", "..;/", "?x=1", "#frag", "a?b#c", "*", "a|b", "a;b", "$(id)",
        "`id`", "${jndi:x}", "{Product}", "{{7*7}}",
        "<script>", "' OR 1=1--", "\"", "\\", "\\\\", "\\\"", "null", "undefined", "NaN", "true", "0", "-1", "1e309", "unknown", "invalid", "Unknown",
        "INVALID",
        "CON", "con", "PRN", "AUX", "NUL", "COM1", "LPT9", "CON.json", "Thumbs.db", "a:b", "a:stream:$DATA",
        "\u202Etxt.exe", "\u0645\u0631\u062D\u0628\u0627", "\u05E9\u05DC\u05D5\u05DD", "\u2066a\u2069", "e\u0301", "\u00E9", "\u00DF", "\u0130", "\u0131",
        "\u212A", "\u017F", "\uFF21", "\u0391",
        "\U0001F600", "\U0001F468\u200D\U0001F469\u200D\U0001F467", "\U0001F1E9\U0001F1EA", "\U0010FFFF", "\uFFFD", "\uFFFE", "\uFFFF", "\u0000", "a\u0000b",
        "\u0001", "\u001B[31m", "\u007F", "\u0080", "\u0085", "\u2028", "\u2029",
        "0f8fad5b-d9cb-469f-a165-70867728950e", "0F8FAD5B-D9CB-469F-A165-70867728950E", "{0f8fad5b-d9cb-469f-a165-70867728950e}", "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    ];

    /// <summary>Every value once.</summary>
    public static IEnumerable<string> All => Texts.Concat(ControlCharacters()).Concat(DotSlashGrid()).Concat(LongTexts()).Distinct(StringComparer.Ordinal);

    private static IEnumerable<string> ControlCharacters() => Enumerable.Range(0, 0xA1).Select(c => "x" + (char)c + "y");

    // One and two dots in every spelling, before, after and between slashes in every spelling.
    private static IEnumerable<string> DotSlashGrid() =>
        from dot in DotForms
        from second in DotForms.Append("")
        from slash in SlashForms
        from text in new[] { dot + second + slash, slash + dot + second, "a" + slash + dot + second + slash + "b" }
        select text;

    private static IEnumerable<string> LongTexts()
    {
        foreach (int length in new[] { 42, 43, 64, 127, 128, 129, 200, 255, 256, 1_023, 1_024, 1_025, 2_000 })
        {
            yield return new string('a', length);
            yield return new string('A', length);
            yield return new string('.', length);
            yield return new string(' ', length);
            yield return new StringBuilder().Insert(0, "\U0001F600", length).ToString();
        }

        yield return new string('a', 100_000);
    }
}
