using System.Text;

namespace Messaging.Tests.Archive.Headers;

/// <summary>
/// JSON values to accept and to refuse, generated from the grammar of RFC 8259 after the categories of nst/JSONTestSuite
/// (numbers, strings, literals, arrays, objects, structure). A valid value stays valid inside an array or an object; a broken one stays
/// broken. Texts are Latin-1, one character per byte, so that they can hold broken UTF-8 too.
/// </summary>
internal static class JsonTexts
{
    private static readonly string[] Integers = ["0", "-0", "7", "-1", "10", "1234567890123456789012345678901234567890"];
    private static readonly string[] Fractions = ["", ".0", ".5", ".000000000000000000000000000001"];
    private static readonly string[] Exponents = ["", "e1", "E+22", "e-9999", "E400"];
    private static readonly string[] Scalars = ["null", "true", "\"s\"", "-0.5e-1"];
    private static readonly string[] Blanks = ["", " ", "\t\r\n ", "\n\n"];

    /// <summary>JSON values that every rule accepts.</summary>
    public static IEnumerable<string> Valid =>
        Numbers().Concat(Strings()).Concat(["null", "true", "false"]).Concat(Containers()).Distinct(StringComparer.Ordinal);

    /// <summary>Texts in valid UTF-8 that are not a JSON value.</summary>
    public static IEnumerable<string> Broken =>
        BrokenNumbers().Concat(BrokenStrings()).Concat(BrokenLiterals()).Concat(BrokenContainers()).Distinct(StringComparer.Ordinal);

    private static IEnumerable<string> Numbers() => from i in Integers from f in Fractions from e in Exponents select i + f + e;

    private static IEnumerable<string> Strings()
    {
        foreach (char escape in "\"\\/bfnrt")
        {
            yield return "\"\\" + escape + "\"";
        }

        // Each length of UTF-8 at both ends of its range, without the surrogates, and characters that break editors.
        foreach (int rune in new[] { 0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7F, 0x80, 0x7FF, 0x800, 0x2028, 0x2029, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF,
            0x10000, 0x1F600, 0x10FFFF })
        {
            yield return "\"" + Latin1(new Rune(rune).ToString()) + "\"";
        }

        foreach (string unit in new[] { "0000", "0041", "00e9", "FFFF", "fffe", "d7FF", "E000", "D800\\uDC00", "dbff\\udfff", "005C\\u0022", "005cn" })
        {
            yield return "\"a\\u" + unit + "z\"";
        }

        foreach (int length in new[] { 0, 1, 15, 16, 17, 31, 32, 33, 100_000 })
        {
            yield return "\"" + new string('x', length) + "\"";
            yield return "\"" + new string('x', length) + "\\n" + new string('y', length) + "\"";
        }

        yield return "\"//no comment /* */ , ] } :\"";
    }

    private static IEnumerable<string> Containers()
    {
        foreach (string blank in Blanks)
        {
            yield return $"[{blank}]";
            yield return $"{{{blank}}}";
            foreach (string scalar in Scalars)
            {
                yield return $"[{blank}{scalar}{blank},{blank}{scalar}{blank}]";
                yield return $"{{{blank}\"\"{blank}:{blank}{scalar}{blank},{blank}\"b\"{blank}:{blank}[{scalar}]{blank}}}";
            }
        }

        yield return "[[],{},[{}],{\"a\":[]},[[[[]]]]]";
        yield return "{\"a\":{\"a\":{\"a\":{\"a\":[{\"a\":null}]}}}}";
        yield return "[" + string.Join(',', Enumerable.Repeat("0", 10_000)) + "]";
        yield return "{\"\\u0000\":0,\"\\ud83d\\ude00\":1}";
    }

    private static IEnumerable<string> BrokenNumbers()
    {
        string[] signs = ["+", "--", "+-", "- ", "-x"];
        string[] texts =
        [
            "-", "+", ".", ".5", "-.5", "1.", "-1.", "0.", "0.e1", "1.e1", "1..2", "1.2.3", "1e", "1E+", "1e-", "1e+-1", "1ee1", "1e1.5", "1e1e1", "1e 1",
            "1 .5", "0 1", "1 2", "1 000", "1,000,", "1_000",
            "00", "01", "-01", "007", "0x", "0x1F", "0b1", "0o7", "0e", "1f", "1d", "1L", "1a", "0A", "1/2", "1+1", "1-1", "1%", "NaN", "-NaN", "nan",
            "Infinity", "-Infinity", "Inf", "$1", "\u00B9",
        ];
        return texts.Concat(from s in signs from i in new[] { "0", "1", "1.5" } select s + i).Select(Latin1);
    }

    private static IEnumerable<string> BrokenStrings()
    {
        yield return "\"";
        yield return "\"open";
        yield return "\"a\"b\"";
        yield return "'single'";
        yield return "`tick`";
        yield return "\\\"a\"";
        yield return "\"\\";
        yield return "\"\\\"";
        yield return Latin1("\u201Ccurly\u201D");
        for (char control = '\0'; control < ' '; control++)
        {
            yield return "\"a" + control + "\"";
            yield return "\"" + new string('x', 40) + control + "\"";
        }

        foreach (char escape in "\0\n 01'aAeEvxUNRT-\u00E9$")
        {
            yield return Latin1("\"\\" + escape + "\"");
        }

        foreach (string unit in new[] { "", "0", "00", "004", "00g0", "+041", "-041", " 041", "0x41", "{41}", "004G", "D800\\u", "D800\\uDC0" })
        {
            yield return "\"\\u" + unit + "\"";
        }
    }

    private static IEnumerable<string> BrokenLiterals() =>
    [
        "", " ", "n", "nul", "nulll", "Null", "NULL", "nil", "None", "undefined", "t", "tru", "truE", "True", "truefalse", "f", "fals", "False", "yes", "a",
        "&", "*", "!", "#", "@", "<null>", "\0", "\v", "\f",
        "null null", "true,", ",", ":", "null:", ";", "null;", "//", "//x\nnull", "/**/null", "null/**/", "#x\nnull", "%00", "\\u0031", Latin1("\u00A0null"),
        Latin1("\u2060null"), Latin1("\uFEFFnull"),
    ];

    private static IEnumerable<string> BrokenContainers()
    {
        foreach (string text in new[] { "[", "[[", "[1", "[1,", "[,", "[,]", "[1,]", "[,1]", "[1,,2]", "[1 2]", "[1;2]", "[1:2]", "[1}", "[1]]", "[\"a\":1]",
            "[(1)]", "[1,\n2", "[*]", "[\f]", "[1\f]", "[1,\v2]", "]", "[]]", "[]a", "[][]", "[...]" })
        {
            yield return text;
        }

        foreach (string text in new[] { "{", "{{", "{}}", "{{}}", "{[", "{]", "{1}", "{\"a\"}", "{\"a\":}", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,",
            "{\"a\":1,}", "{,}", "{,\"a\":1}", "{\"a\":1,,\"b\":2}", "{\"a\":1 \"b\":2}", "{\"a\":1;\"b\":2}", "{\"a\" 1}", "{\"a\"::1}", "{:1}", "{1:1}",
            "{null:1}", "{a:1}", "{'a':1}", "{\"a\"=1}", "{\"a\":1]", "{\"a\":1}}", "{\"a\":1}#", "{\"a\":1}/", "{\"a\",\"b\"}", "{\"a\":\"b\",\"c\"}",
            "{\"a\":/**/1}", "{\"a\" \f:1}", "{\"a\":1,\"b\"}", "{\"\\x\":1}", "{\"a\nb\":1}", "}", "{}{}", "{};" })
        {
            yield return text;
        }

        foreach (string open in new[] { "[", "{\"a\":" })
        {
            yield return string.Concat(Enumerable.Repeat(open, 20));
            yield return string.Concat(Enumerable.Repeat(open, 20)) + "1" + new string(open == "[" ? '}' : ']', 20);
        }
    }

    private static string Latin1(string text) => Encoding.Latin1.GetString(Encoding.UTF8.GetBytes(text));
}
