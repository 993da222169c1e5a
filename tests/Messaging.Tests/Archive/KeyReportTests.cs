using System.Text;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Archive;
using Quayside.Messaging.Archive.ObjectKeys;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Planning;
using Shared.Hosting;

namespace Messaging.Tests.Archive;

/// <summary>The text of <c>explain-key</c>: a message's key, and the rules that make keys.</summary>
public sealed class KeyReportTests
{
    private const string Section = "Handlers:Archive:";

    // 17 bytes.
    private const string SmallMessage = """{"MessageId":"1"}""";

    [Fact]
    public void Explain_EveryKindOfPart_ShowsItsOrigin() => Explain(
        """{"a":"My Product","b":"acme-corp","tenant":{"ID":"x"},"n":1E+5,"u":"A b","ts":1795256130,"at":"0001-01-01T00:00:00","id":"A1"}""",
        ("Template", "{a}/{b}/{tenant.id:keep}/{n:number}.{u:encode}/{ts:epoch:yyyy/MM}/{at:yyyy}/{MessageId}.json"),
        ("MessageIdProperty", "id")).ShouldBe(
        (true, """
        Route orders: {a}/{b}/{tenant.id:keep}/{n:number}.{u:encode}/{ts:epoch:yyyy/MM}/{at:yyyy}/{MessageId}.json
          key my_product/invalid/unknown/1E=2b5.A=20b/2026/11/=411.json
          a               "My Product"          -> my_product  lower case, blanks as _
          b               "acme-corp"           -> invalid     does not fit the rule; InvalidValue=Default
          tenant.id:keep  (none)                -> unknown     missing, null or empty; the message has "ID": names are case-sensitive; MissingProperty=Default
          n:number        1E+5                  -> 1E=2b5      escaped
          u:encode        "A b"                 -> A=20b       escaped
          ts              1795256130            -> 2026/11     the date 2026-11-21T10:15:30Z, from seconds since 1970
          at              "0001-01-01T00:00:00" -> (left out)  the first second of year 1 means no date
          MessageId       "A1"                  -> =411        the id, from id, escaped

        """));

    [Fact]
    public void Explain_SourceValues_AreShownAsText()
    {
        SampleMessage message =
            new("""{"x":1}"""u8.ToArray(), "m", [new("ce-id", "A1"), new("tenant", "a b")], "g-7", new DateTimeOffset(2026, 11, 27, 10, 0, 0, TimeSpan.Zero));

        ExplainMessage(
            message, ("Template", "{@attribute.tenant}/{@group:keep}/{@enqueued:yyyy/MM}/{@attribute.none}/{MessageId}"),
            ("MessageIdProperty", "@attribute.ce-id")).ShouldBe(
            (true, """
            Route orders: {@attribute.tenant}/{@group:keep}/{@enqueued:yyyy/MM}/{@attribute.none}/{MessageId}
              key a_b/g-7/2026/11/unknown/=411
              @attribute.tenant  "a b"                  -> a_b      lower case, blanks as _
              @group:keep        "g-7"                  -> g-7      unchanged
              @enqueued          "2026-11-27T10:00:00Z" -> 2026/11  the date 2026-11-27T10:00:00Z
              @attribute.none    (none)                 -> unknown  missing, null or empty; MissingProperty=Default
              MessageId          "A1"                   -> =411     the id, from @attribute.ce-id, escaped

            """));
    }

    [Fact]
    public void Explain_ImplausibleDate_WarnsAndNamesTheOtherUnit() => Explain(
        """{"at":1595256130,"MessageId":"1"}""", ("Template", "{at:epochms:yyyy/MM}/{MessageId}")).Text.ShouldContain(
        "the date 1970-01-19T11:07:36Z, from milliseconds since 1970; warning: before 1990, which is implausible. As seconds the value is "
            + "2020-07-20T14:42:10Z: use the rule epoch instead of epochms");

    [Fact]
    public void Explain_Poison_SaysWhatTheRuleAccepts() => Explain(
        """{"at":1767225600000,"MessageId":"1"}""", ("Template", "{at:epoch:yyyy/MM}/{MessageId}")).ShouldBe(
        (false, """
        Route orders: {at:epoch:yyyy/MM}/{MessageId}
          dead letter bad-date at byte 6, property "at"
          The body cannot be read: bad-date at byte 6, property "at", which takes seconds since 1970 in the years 1 to 9999, without an exponent; for milliseconds use epochms.

        """));

    [Fact]
    public void Explain_SourceId_IsUsedWhereTheRuleAllowsIt()
    {
        Explain("{}", ("Template", "{MessageId}"), ("MissingId", "UseSourceId")).ShouldBe(
            (true, """
            Route orders: {MessageId}
              key from-source
              MessageId  "from-source" -> from-source  the source's id; MissingId=UseSourceId, unchanged

            """));
        Explain("{}", ("Template", "{MessageId}")).Explained.ShouldBeFalse();
    }

    [Fact]
    public void Explain_NoSourceId_ShowsAPlaceholderAndAsksForTheId() =>
    ExplainOf(null, "{}", ("Template", "{MessageId}"), ("MissingId", "UseSourceId")).ShouldBe(
        (true, """
        Route orders: {MessageId}
          key source-id
          MessageId  "source-id" -> source-id  the source's id; MissingId=UseSourceId, unchanged
          The id comes from the source; give one with --source-id.

        """));

    [Fact]
    public void Explain_NoSourceIdAndAMessageWithAnId_AsksForNone() =>
        ExplainOf(null, SmallMessage, ("Template", "{MessageId}"), ("MissingId", "UseSourceId")).Text.ShouldNotContain("--source-id");

    [Theory]
    [InlineData(17, true)]
    [InlineData(16, false)]
    public void Explain_BodyAboveTheLimitOfTheRoute_IsADeadLetter(int limit, bool isExplained)
    {
        (bool explained, string text) = Explain(SmallMessage, ("Template", "{MessageId}"), ("Stages:MaxMessageBytes", $"{limit}"));

        explained.ShouldBe(isExplained);
        text.Contains("  dead letter too-large: the body has 17 bytes; Stages:MaxMessageBytes allows 16\n", StringComparison.Ordinal).ShouldBe(!isExplained);
    }

    [Theory]
    [InlineData("""{"tenant":"t","MessageId":"1"}""", "Default", "dead letter wrong-type at byte 10, property \"tenant\"")]
    [InlineData("""{"MessageId":"1"}""", "DeadLetter", "dead letter missing-property at byte 0, property \"tenant.id\"")]
    [InlineData("", "Default", "dead letter empty-body at byte 0")]
    public void Explain_Poison_SaysWhyAndWhatToDo(string body, string missing, string expected)
    {
        (bool isExplained, string text) = Explain(body, ("Template", "{tenant.id}/{MessageId}"), ("MissingProperty", missing));

        isExplained.ShouldBeFalse();
        text.Split('\n')[1].ShouldBe($"  {expected}");
        text.Split('\n')[2].Length.ShouldBeGreaterThan(10);
    }

    [Theory]
    [InlineData("{a}/{b:keep}/{c:lower}/{d:encode}/{e:number}/{f:yyyy}/{MessageId}", "Default", "a, b, c")]
    [InlineData("{a}/{b:keep}/{MessageId}", "Encode", "a")]
    [InlineData("{a.b:keep}/{MessageId}", "DeadLetter", null)]
    [InlineData("{a:encode}-{b:encode}/{MessageId}", "Default", "a, b")]
    [InlineData("{a:encode}/x-{b:number}.y/{at:yyyy/MM}/{MessageId}", "Default", null)]
    public void Write_Rules_WarnOfPropertiesThatCanMerge(string template, string invalid, string? merging)
    {
        IConfiguration configuration = Configure(("Template", template), ("InvalidValue", invalid));
        StringWriter output = new();

        Describe(configuration, output);

        string text = output.ToString();
        text.ShouldStartWith($"Keys of route orders: {template}; the id is MessageId");
        text.ShouldContain($"InvalidValue={invalid}");
        text.Contains("warning:").ShouldBe(merging is not null);
        text.Contains($"different values of {merging} can become").ShouldBe(merging is not null);
    }

    [Theory]
    [InlineData("{a}/{b:keep}/{MessageId}", "Default", "a, b", "Use the rule encode, or keep with InvalidValue=Encode or DeadLetter")]
    [InlineData("{a}/{b:keep}/{MessageId}", "Encode", "a", "Use the rule encode or keep")]
    [InlineData("{a:encode}-{b:keep}/{c:keep}/{MessageId}", "DeadLetter", "a, b", "Give each property a level of its own")]
    public void Write_PropertiesThatCanMerge_AdvisesWhatTheTemplateLacks(string template, string invalid, string merging, string advice)
    {
        IConfiguration configuration = Configure(("Template", template), ("InvalidValue", invalid));
        StringWriter output = new() { NewLine = "\n" };

        Describe(configuration, output);

        output.ToString().Split('\n').Where(line => line.Contains("warning:")).ShouldBe(
            [$"  warning: different values of {merging} can become one level, so tenants could share a prefix. {advice} (docs/reference/object-keys.md)."]);
    }

    private static void Describe(IConfiguration configuration, TextWriter output) =>
        WorkerHost.Plan(configuration).Routes.ShouldHaveSingleItem().Handler.Describe.ShouldNotBeNull()(output);

    private static (bool Explained, string Text) Explain(string body, params (string Key, string Value)[] settings) => ExplainOf("from-source", body, settings);

    private static (bool Explained, string Text) ExplainOf(string? sourceId, string body, params (string Key, string Value)[] settings) =>
        ExplainMessage(new SampleMessage(Encoding.UTF8.GetBytes(body), sourceId ?? "source-id"), settings);

    private static (bool Explained, string Text) ExplainMessage(SampleMessage message, params (string Key, string Value)[] settings)
    {
        IConfiguration configuration = Configure(settings);
        ArchiveOptions options = ArchiveHandlerFeature.ReadOptions(new SettingsReader(configuration), "orders");
        StringWriter output = new() { NewLine = "\n" };
        bool isExplained = KeyReport.Explain(WorkerHost.Plan(configuration).Routes.ShouldHaveSingleItem(), options, message, output);
        return (isExplained, output.ToString());
    }

    /// <summary>Keys without a colon are those of the handler.</summary>
    private static IConfiguration Configure(params (string Key, string Value)[] settings) => new ConfigurationBuilder()
        .AddInMemoryCollection(settings
            .Select(
                setting => KeyValuePair.Create(
                    setting.Key.Contains(':', StringComparison.Ordinal) ? setting.Key : Section + setting.Key, (string?)setting.Value))
            .Append(KeyValuePair.Create("Routes:orders:Sink", (string?)"Memory")))
        .Build();
}
