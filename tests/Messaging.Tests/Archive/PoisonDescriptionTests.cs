using System.Text;
using Messaging.Tests.Archive.ObjectKeys;
using Quayside.Messaging.Archive;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Archive;

/// <summary>
/// The description of a message without a key, in a dead letter, an HTTP answer and explain-key: enough to correct the message or the template.
/// </summary>
public sealed class PoisonDescriptionTests
{
    private const string Parts = "an array is no date: use its items as parts of the key, such as {at[0]:any} for the year, or send text.";
    private const string Epoch = "takes seconds since 1970 in the years 1 to 9999, without an exponent; for milliseconds use epochms.";
    private const string Date = "takes dates in the years 1 to 9999, such as 2026-01-31 and 2026-01-31T10:20:30Z; for other notations set "
        + "Handlers:Archive:DateFormats, for seconds since 1970 use epoch, for milliseconds epochms.";

    [Theory]
    [InlineData("{at:epoch:yyyy}", """{"at":1767225600000}""", Epoch)]
    [InlineData("{at:epoch:yyyy}", """{"at":17.9e8}""", Epoch)]
    [InlineData("{at:epoch:yyyy}", """{"at":"1.767225600e9"}""", Epoch)]
    [InlineData("{at:epochms:yyyy}", """{"at":1e300}""", "takes milliseconds since 1970 in the years 1 to 9999, without an exponent.")]
    [InlineData("{at:epochus:yyyy}", """{"at":1e300}""", "takes microseconds since 1970 in the years 1 to 9999, without an exponent.")]
    [InlineData("{at:epochns:yyyy}", """{"at":1e300}""", "takes nanoseconds since 1970 in the years 1678 to 2262, without an exponent.")]
    [InlineData("{at:yyyy}", """{"at":"31.01.2026"}""", Date)]
    public void Of_BadDate_SaysWhatTheRuleAccepts(string level, string body, string expected) =>
        Describe(level, "id", body).ShouldBe($"The body cannot be read: bad-date at byte 6, property \"at\", which {expected}");

    [Theory]
    [InlineData("{p:number}", "\"4716\"", "takes numbers, true and false; the value is a string.")]
    [InlineData("{p:number}", "{}", "takes numbers, true and false; the value is an object.")]
    [InlineData("{p:any}", "[]", "takes strings, numbers, true and false; the value is an array.")]
    [InlineData("{p}", "4716", "takes strings; the value is a number; for numbers use the rule number, for both any.")]
    [InlineData("{p}", "-1", "takes strings; the value is a number; for numbers use the rule number, for both any.")]
    [InlineData("{p}", "true", "takes strings; the value is a boolean.")]
    [InlineData("{p}", "[]", "takes strings; the value is an array.")]
    [InlineData("{p:yyyy}", "1767225600", "takes strings; the value is a number; for seconds since 1970 use epoch, for milliseconds epochms.")]
    [InlineData("{p:epoch:yyyy}", "[]", "takes numbers, and strings that hold a number; the value is an array; " + Parts)]
    [InlineData("{p:yyyy}", "[2026,1,31,10,0]", "takes strings; the value is an array; " + Parts)]
    [InlineData("{p.x}", "\"x\"", "must be an object; the value is a string.")]
    [InlineData("{p[0]}", "{}", "must be an array; the value is an object.")]
    public void Of_WrongType_SaysWhatTheRuleAcceptsAndTheValuesType(string level, string value, string expected) =>
        Describe(level, "id", $$"""{"p":{{value}}}""").ShouldBe($"The body cannot be read: wrong-type at byte 5, property \"p\", which {expected}");

    [Theory]
    [InlineData(
        "id:number", """{"id":"4716"}""",
        "The body cannot be read: wrong-type at byte 6, property \"id\", which takes numbers, true and false; the value is a string.")]
    [InlineData(
        "order.id:number", """{"order":{"Id":4716}}""",
        "The message has no id (property \"order.id\"; it has \"Id\": names are case-sensitive). Send one, or set Handlers:Archive:MissingId to UseSourceId.")]
    [InlineData(
        "order.id:number", """{"Order":{"id":4716}}""",
        "The message has no id (property \"order.id\"; it has \"Order\": names are case-sensitive). Send one, "
            + "or set Handlers:Archive:MissingId to UseSourceId.")]
    [InlineData(
        "order.id:number", """{"order":{"number":4716}}""",
        "The message has no id (property \"order.id\"). Send one, or set Handlers:Archive:MissingId to UseSourceId.")]
    [InlineData(
        "order.id:number", """{"order":{"id":null,"Id":4716}}""",
        "The message has no id (property \"order.id\"). Send one, or set Handlers:Archive:MissingId to UseSourceId.")]
    public void Of_Id_SaysWhatItShouldBe(string id, string body, string expected) => Describe("x", id, body).ShouldBe(expected);

    [Fact]
    public void Of_BodyThatIsTooDeep_NamesTheSettingThatReadsIt()
    {
        string body = $"{{\"id\":\"1\",\"x\":\"2\",\"a\":{new string('[', 64)}{new string(']', 64)}}}";
        Describe("x", "id", body).ShouldEndWith(
            "; a body has at most 64 levels. Handlers:Archive:BodyValidation=HeaderOnly reads it only as far as the key needs it.");
    }

    [Theory]
    [InlineData("utf-16", true, "invalid-utf8 at byte 0")]
    [InlineData("utf-16BE", true, "invalid-utf8 at byte 0")]
    [InlineData("utf-16", false, "malformed-json at byte 1")]
    [InlineData("utf-16BE", false, "malformed-json at byte 0")]
    public void Of_Utf16_SaysSo(string encoding, bool hasMark, string poison)
    {
        Encoding utf16 = Encoding.GetEncoding(encoding);
        byte[] body = [.. hasMark ? utf16.GetPreamble() : [], .. utf16.GetBytes("""{"id":"1"}""")];

        Describe("x", "id", body).ShouldStartWith($"The body cannot be read: {poison}");
        Describe("x", "id", body).ShouldEndWith(". It looks like UTF-16; send it as UTF-8.");
    }

    [Fact]
    public void Of_MissingProperty_SaysWhichNameDiffersInCaseOnly() => Describe("{tenant.id}", "id", """{"id":"1","tenant":{"ID":"x"}}""").ShouldBe(
        "The key needs the property \"tenant.id\", and the message has no value there (it has \"ID\": names are case-sensitive). Send one, or set "
            + "Handlers:Archive:MissingProperty to Default.");

    [Fact]
    public void Of_InvalidValue_SaysWhatCanBeDone() => Describe("{p:keep}", "id", """{"id":"1","p":"a b"}""").ShouldBe(
        "The key cannot take the value of the property \"p\" (byte 14). Send another, use {p:encode}, or set Handlers:Archive:InvalidValue to Encode.");

    [Theory]
    [InlineData("", "The body cannot be read: empty-body at byte 0.")]
    [InlineData("""{"p":"a","p":"b"}""", "The body cannot be read: duplicate-property at byte 9, property \"p\".")]
    [InlineData("""{"p":nul}""", "The body cannot be read: malformed-json at byte 5, property \"p\".")]
    public void Of_AnythingElse_SaysWhatAndWhere(string body, string expected) => Describe("{p}", "id", body).ShouldBe(expected);

    // HeaderOnly accepts bodies that JsonDocument refuses.
    [Theory]
    [InlineData("""{"Order":4716} trailing""")]
    [InlineData("""{"\ud800":1,"Order":4716}""")]
    public void Of_BodyThatCannotBeParsedAgain_HasNoHint(string body) =>
        Describe("x", "order.id:number", body, BodyValidation.HeaderOnly).ShouldBe(
            "The message has no id (property \"order.id\"). Send one, or set Handlers:Archive:MissingId to UseSourceId.");

    private static string Describe(string level, string id, string body, BodyValidation validation = BodyValidation.Full) =>
        Describe(level, id, Encoding.UTF8.GetBytes(body), validation);

    private static string Describe(string level, string id, byte[] body, BodyValidation validation = BodyValidation.Full)
    {
        KeyTemplate template = KeyRun.Compile(new ArchiveOptions
        {
            Template = level + "/{MessageId}",
            MessageIdProperty = id,
            MissingProperty = MissingPropertyRule.DeadLetter,
            InvalidValue = InvalidValueRule.DeadLetter,
        });
        ArchiveHeader header = new();
        using PooledBuffer key = BufferPool.Shared.Rent(template.LongestKeyBytes);
        bool hasKey = template.CreateReader(validation).TryRead(body, header, out Poison poison)
            && template.TryWrite(header, sourceId: default, key, out poison);
        hasKey.ShouldBeFalse();
        string description = PoisonDescription.Of(poison, header, template.Properties);
        header.Reset();
        return description;
    }
}
