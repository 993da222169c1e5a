using System.Text;
using System.Text.Json;
using Quayside.Messaging.Archive.Headers;

namespace Messaging.Tests.Archive.Headers;

public sealed class JsonTextsTests
{
    // lone-surrogate: the reader finds half a pair before the broken escape after it.
    private static readonly string[] Faults = ["malformed-json", "trailing-data", "lone-surrogate"];

    [Fact]
    public void TryRead_ValidValue_IsAcceptedAnywhere()
    {
        foreach (string value in JsonTexts.Valid)
        {
            foreach (BodyValidation rule in Enum.GetValues<BodyValidation>())
            {
                Code("{\"Product\":\"p\",\"x\":" + value + "}", rule).ShouldBe("", value);
                Code("\n{ \"x\" : " + value + " , \"y\":[ " + value + " ]}\t", rule).ShouldBe("", value);
                Code("[" + value + "]", rule).ShouldBe("not-an-object", value);
                Code(value, rule).ShouldBe(value.StartsWith('{') ? "" : "not-an-object", value);
            }

            AcceptsWithReader("[" + value + "]").ShouldBeTrue(value);
        }
    }

    [Fact]
    public void TryRead_BrokenValue_IsRefusedAloneAndAsAProperty()
    {
        foreach (string value in JsonTexts.Broken)
        {
            AcceptsWithReader(value).ShouldBeFalse(value);
            bool isByteOrderMark = value.StartsWith("\u00EF\u00BB\u00BF", StringComparison.Ordinal); // skipped in front of a body, and only there
            Code(value).ShouldBeOneOf(value.Trim(' ').Length == 0 ? ["empty-body"] : isByteOrderMark ? ["not-an-object"] : Faults);
            Code("{\"Product\":" + value + "}").ShouldNotBe("", value);
            foreach (string text in new[] { "{\"x\":" + value + "}", " {\"x\" : [ {\"y\":" + value + "} ] , \"z\" : 1} " })
            {
                Code(text).ShouldBeOneOf(Faults);
                Code(text, BodyValidation.HeaderOnly).ShouldBe(Code(text) == "trailing-data" ? "" : "malformed-json", text);
            }
        }
    }

    // Some broken values are valid in an array: an empty text makes an empty array.
    [Fact]
    public void TryRead_BrokenValueInAnArray_IsRefusedWhereTheReaderRefusesIt()
    {
        foreach (string value in JsonTexts.Broken)
        {
            foreach (string text in new[] { "[" + value + "]", "[0," + value + "]" })
            {
                Code(text).ShouldBeOneOf(AcceptsWithReader(text) ? ["not-an-object"] : Faults);
                Code("{\"x\":" + text + "}").ShouldBeOneOf(AcceptsWithReader(text) ? [""] : Faults);
            }
        }
    }

    private static bool AcceptsWithReader(string latin1)
    {
        try
        {
            var reader = new Utf8JsonReader(Encoding.Latin1.GetBytes(latin1));
            while (reader.Read())
            {
            }

            return true;
        }
        catch (JsonException)
        {
            return false;
        }
    }

    private static string Code(string latin1, BodyValidation rule = BodyValidation.Full) => BodyRun.Read(Encoding.Latin1.GetBytes(latin1), rule).Code;
}
