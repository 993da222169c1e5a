using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Quayside.Messaging.Archive;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;
using Quayside.Messaging.Planning;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Archive.ObjectKeys;

/// <summary>Keys with what the source knows beside the body.</summary>
public sealed class SourceValueKeyTests
{
    private static readonly Config Runs = Config.QuickThrowOnFailure.WithMaxTest(500);

    private static readonly (string OfAttribute, string OfProperty)[] Twins =
    [
        .. new[] { "", ":40", ":keep", ":keep:64", ":lower", ":encode", ":any", ":yyyy/MM/dd/HH", ":epoch:yyyy", ":epochms:yyyy/MM" }.Select(
            rule => ($"{{@attribute.a{rule}}}", $"{{a{rule}}}")),
    ];

    [Theory]
    [InlineData("{@attribute.tenant}/{MessageId}", "acme/1")]
    [InlineData("{@attribute.\"x-tenant.id\":keep}/{MessageId}", "A.b/1")]
    [InlineData("{@attribute.x-tenant:keep}/{MessageId}", "unknown/1")]
    [InlineData("{@attribute.time:yyyy/MM/dd/HH}/{MessageId}", "2026/11/22/01/1")]
    [InlineData("{@attribute.sent:epochms:yyyy/MM/dd}/{MessageId}", "2026/11/21/1")]
    [InlineData("{@attribute.sent:number}/{MessageId}", "1795256130123/1")]
    [InlineData("{@attribute.none:yyyy/MM}/{MessageId}", "1")]
    [InlineData("{@enqueued:yyyy/MM/dd/HH.mm.ss}/{MessageId}", "2026/11/27/11.22.33/1")]
    [InlineData("{@group:keep}/{MessageId}", "Group-7/1")]
    [InlineData("{@id:keep}/{MessageId}", "source-1/1")]
    [InlineData("{@deduplication-id}/{@subject}/{MessageId}", "unknown/unknown/1")]
    [InlineData("{@timestamp:yyyy}/{\"@group\":keep}/{MessageId}", "2025/in-body/1")]
    [InlineData("{@attribute.tenant}/{\"@attribute\".tenant}/{MessageId}", "acme/body/1")]
    public void Key_OfSourceValues_FollowsTheRulesOfProperties(string template, string key) => Key(template).ShouldBe(key);

    [Fact]
    public void Key_IdOfAnAttribute_NeedsNoIdInTheBody() =>
        Key("{MessageId}/{@attribute.tenant}", id: "@attribute.event", body: """{"x":1}""").ShouldBe("=45-1/acme");

    [Theory]
    [InlineData(
        "@attribute.none", "missing-id, @attribute.none",
        "The message has no id (property \"@attribute.none\"). Send one, or set Handlers:Archive:MissingId to UseSourceId.")]
    [InlineData(
        "@attribute.event:number", "wrong-type, @attribute.event",
        "The key cannot be made: wrong-type, @attribute.event, which takes numbers, true and false; for text leave out the rule number, or use any.")]
    public void Key_IdThatCannotBeHad_IsADeadLetterThatNamesTheAttribute(string id, string poison, string description) =>
        Run(Compile("{MessageId}", id), "{}").ShouldBe((null, poison, description));

    [Fact]
    public void Key_BadDateOfAnAttribute_SaysWhatTheRuleTakes()
    {
        (string? key, string poison, string description) = Run(Compile("{@attribute.tenant:epoch:yyyy}/{MessageId}"), """{"MessageId":"1"}""");

        key.ShouldBeNull();
        poison.ShouldBe("bad-date, @attribute.tenant");
        description.ShouldBe(
            "The key cannot be made: bad-date, @attribute.tenant, which takes seconds since 1970 in the years 1 to 9999, "
                + "without an exponent; for milliseconds use epochms.");
    }

    [Fact]
    public void Key_BadDateOfAnAttribute_IsLeftOutWhereThatIsSet() =>
        Key("{@attribute.tenant:yyyy}/{MessageId}", options => options.InvalidDate = InvalidDateRule.LeaveOut).ShouldBe("1");

    [Fact]
    public void Key_InvalidAttribute_FollowsTheRuleForInvalidValues()
    {
        Key("{@attribute.event}/{MessageId}").ShouldBe("invalid/1");
        Key("{@attribute.event}/{MessageId}", options => options.InvalidValue = InvalidValueRule.Encode).ShouldBe("E-1/1");
        Run(Compile("{@attribute.event}/{MessageId}", change: options => options.InvalidValue = InvalidValueRule.DeadLetter),
            """{"MessageId":"1"}""").Description.ShouldBe(
            "The key cannot take the value of the property \"@attribute.event\". Send another, use {@attribute.event:encode}, or set "
                + "Handlers:Archive:InvalidValue to Encode.");
        Run(Compile("{@attribute.none}/{MessageId}", change: options => options.MissingProperty = MissingPropertyRule.DeadLetter),
            """{"MessageId":"1"}""").Poison.ShouldBe("missing-property, @attribute.none");
    }

    [Theory]
    [InlineData(
        "{@atribute.tenant}/{MessageId}",
        "Template, character 2: unknown name @atribute. Allowed: @attribute; a property of the body with such a name in quotes, as {\"@name\"}.")]
    [InlineData(
        "{@enqueud:yyyy}/{MessageId}",
        "Template, character 2: unknown name @enqueud. Allowed: @enqueued; a property of the body with such a name in quotes, as {\"@name\"}.")]
    [InlineData(
        "{@attribute}/{MessageId}",
        "Template, character 2: @attribute with 0 names after it. Allowed: one name, such as @attribute.tenant; "
            + "in quotes if it holds a dot, as @attribute.\"a.b\".")]
    [InlineData(
        "{@attribute.a.b}/{MessageId}",
        "Template, character 2: @attribute with 2 names after it. Allowed: one name, such as @attribute.tenant; "
            + "in quotes if it holds a dot, as @attribute.\"a.b\".")]
    [InlineData("{@group.a}/{MessageId}", "Template, character 2: @group with 1 names after it. Allowed: @group alone.")]
    [InlineData(
        "{@enqueued}/{MessageId}",
        "Template, character 12: @enqueued without a date format. Allowed: yyyy MM dd HH mm ss with / - _ . between them, such as {@enqueued:yyyy/MM/dd/HH}.")]
    [InlineData(
        "{@enqueued:epoch:yyyy}/{MessageId}",
        "Template, character 12: @enqueued without a date format. Allowed: yyyy MM dd HH mm ss with / - _ . between them, such as {@enqueued:yyyy/MM/dd/HH}.")]
    [InlineData(
        "{@attribute.a:yyyy}/{@attribute.a:epoch:yyyy}/{MessageId}",
        "Template, character 41: @attribute.a is used as dates of two kinds. Allowed: placeholders that one message can satisfy together.")]
    public void TryCompile_WrongSourceValue_SaysWhatIsAllowed(string template, string error)
    {
        KeyTemplate.TryCompile(new ArchiveOptions { Template = template }, out _, out var errors).ShouldBeFalse();

        errors.ShouldHaveSingleItem().ToString().ShouldBe(error);
    }

    [Theory]
    [InlineData("@group")]
    [InlineData("@enqueued")]
    public void TryCompile_IdThatSeveralMessagesShare_IsRefused(string id)
    {
        KeyTemplate.TryCompile(new ArchiveOptions { Template = "{MessageId}", MessageIdProperty = id }, out _, out var errors).ShouldBeFalse();

        errors.ShouldHaveSingleItem().ToString().ShouldContain("several messages can have the same");
    }

    [Fact]
    public void Key_OfAnAttribute_IsThatOfAPropertyWithTheSameValue()
    {
        (KeyTemplate OfAttribute, KeyTemplate OfProperty)[] twins =
            [.. Twins.Select(twin => (Compile(twin.OfAttribute + "/{MessageId}"), Compile(twin.OfProperty + "/{MessageId}")))];
        Gen<string> values = Gen.Frequency(
            (2, Gen.Elements(NaughtyStrings.All.Where(text => text.Length < 3_000).ToArray())),
            (1, Gen.Choose(1, 200).Select(length => new string('Q', length))),
            (1, Gen.Elements("2019-04-01T10:20:30+02:00", "Mon, 01 Apr 2019 10:20:30 GMT", "1795256130", "0001-01-01T00:00:00", "unknown", "")));

        Prop.ForAll(values.ToArbitrary(), value =>
        {
            string text = Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(value));
            byte[] body = KeyRun.Body([new("a", text), new("MessageId", "1")]);
            foreach ((KeyTemplate ofAttribute, KeyTemplate ofProperty) in twins)
            {
                (string? key, string poison, _) = Run(ofAttribute, """{"MessageId":"1"}""", [new("a", text)]);
                (string? expected, Poison expectedPoison) = KeyRun.Run(body, [], ofProperty);
                key.ShouldBe(expected);
                poison.Split(',')[0].ShouldBe(expectedPoison.Reason ?? "");
            }
        }).Check(Runs);
    }

    /// <summary>Such as milliseconds where the source has seconds.</summary>
    [Fact]
    public void TryReadSource_TimeThatIsNoDate_IsAnInvalidDate()
    {
        const string Template = "{@enqueued:yyyy/MM/dd}/{MessageId}";

        (string? key, string poison, string description) = Run(Compile(Template), new UnreadableTime());
        key.ShouldBeNull();
        poison.ShouldBe("bad-date, @enqueued");
        description.ShouldContain("not in seconds since 1970");
        description.ShouldContain("Handlers:Archive:InvalidDate to LeaveOut");
        Run(Compile(Template, change: static options => options.InvalidDate = InvalidDateRule.LeaveOut), new UnreadableTime()).Key.ShouldBe("1");
    }

    private static string Key(string template, string id, string body) => Run(Compile(template, id), body).Key.ShouldNotBeNull();

    private static string Key(string template, Action<ArchiveOptions>? change = null) =>
        Run(Compile(template, change: change),
            """{"@timestamp":"2025-01-01","@group":"in-body","@attribute":{"tenant":"body"},"MessageId":"1"}""").Key.ShouldNotBeNull();

    private static KeyTemplate Compile(string template, string id = "MessageId", Action<ArchiveOptions>? change = null)
    {
        ArchiveOptions options = new() { Template = template, MessageIdProperty = id };
        change?.Invoke(options);
        return KeyRun.Compile(options);
    }

    private static (string? Key, string Poison, string Description) Run(
        KeyTemplate template, string body, IReadOnlyList<KeyValuePair<string, string>>? attributes = null)
    {
        SampleMessage message = new(
            Encoding.UTF8.GetBytes(body),
            "source-1",
            attributes
                ?? [new("tenant", "acme"), new("x-tenant.id", "A.b"), new("time", "2026-11-21T23:15:30-02:00"), new("sent", "1795256130123"),
                    new("event", "E-1")],
            "Group-7",
            new DateTimeOffset(2026, 11, 27, 12, 22, 33, 999, TimeSpan.FromHours(1)));
        return Run(template, message);
    }

    private static (string? Key, string Poison, string Description) Run(KeyTemplate template, ReceivedMessage message)
    {
        BufferPool pool = new();
        ArchiveHeader header = new(pool);
        ArchiveHeaderReader reader = template.CreateReader(BodyValidation.Full);
        PooledBuffer key = pool.Rent(template.LongestKeyBytes);
        bool isWritten = reader.TryRead(message.Body, header, out Poison poison)
            && reader.TryReadSource(message, header, out poison)
            && template.TryWrite(header, default, key, out poison);
        (string?, string, string) result = isWritten
            ? (Encoding.ASCII.GetString(key.WrittenSpan), "", "")
            : (null, poison.ToString(), PoisonDescription.Of(poison, header, template.Properties));
        header.Reset();
        key.Dispose();
        pool.Outstanding.ShouldBe(0);
        return result;
    }

    private sealed class UnreadableTime : ReceivedMessage
    {
        public override ReadOnlyMemory<byte> Body => """{"MessageId":"1"}"""u8.ToArray();

        public override ReadOnlyMemory<byte> SourceId => "source-1"u8.ToArray();

        public override string? FindSystemProperty(string name) => name == "enqueued" ? "1769853600123" : null;

        protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) => default;
    }
}
