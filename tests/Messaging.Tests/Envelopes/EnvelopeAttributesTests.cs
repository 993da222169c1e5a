using System.Text;
using Quayside.Messaging.Envelopes.Sns;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Envelopes;

/// <summary>What an envelope says of the message in it, in keys and in <see cref="MessageInfo"/>.</summary>
public sealed class EnvelopeAttributesTests
{
    private const string Sns = """{"Type":"Notification","MessageId":"sns-1","TopicArn":"arn:t","Subject":"s\u00fc\ud83d\ude00","Message":"{}","Timestamp":"2026-11-27T10:00:00Z","MessageAttributes":{"tenant":{"Type":"String","Value":"inner"},"n":{"Type":"Number","Value":"7"},"b":{"Type":"Binary","Value":"AAH/"},"TopicArn":{"Type":"String","Value":"forged"},"odd":1,"half":{"Type":"String","Value":"\ud800"}}}""";
    private const string Structured =
        """{"specversion":"1.0","id":"E-1","source":"/s","type":"t","time":"2026-11-27T10:00:00Z","tries":3,"data":{"x":1},"none":null}""";

    public static TheoryData<string, string, string, string> Placeholders => new()
    {
        { "Sns", Sns, "{@attribute.tenant}/{@attribute.n}", "inner/7" },
        { "Sns", Sns, "{@attribute.TopicArn:encode}/{@attribute.MessageId:keep}", "arn=3at/sns-1" },
        { "Sns", Sns, "{@attribute.b}/{@attribute.odd}/{@attribute.half}", "unknown/unknown/unknown" },
        { "Sns", Sns, "{@attribute.Timestamp:yyyy/MM/dd}/{@attribute.outer}", "2026/11/27/around" },
        { "EventBridge", """{"id":"e","detail-type":"Order","source":"shop","account":"1","region":"eu","time":"2026-11-27T10:00:00Z","detail":{}}""",
            "{@attribute.detail-type:keep}/{@attribute.source}/{@attribute.region}/{@attribute.account}/{@attribute.time:HH}", "Order/shop/eu/1/10" },
        { "CloudEvents", Structured, "{@attribute.ce-id:keep}/{@attribute.ce-tries}/{@attribute.ce-data}/{@attribute.ce-none}", "E-1/3/unknown/unknown" },
        { "JsonArray, CloudEvents", $"[{Structured}]", "{@attribute.ce-id:keep}/{@attribute.outer}", "E-1/around" },
        { "Base64", "e30=", "{@attribute.tenant}", "outer" },
    };

    [Theory]
    [MemberData(nameof(Placeholders))]
    public async Task Key_OfAnEnvelopedMessage_HasTheAttributesOfTheEnvelope(string envelope, string body, string template, string key)
    {
        await using TestWorker worker =
            await EnvelopeWorker.StartAsync(envelope, $"Handlers:Archive:Template={template}/{{MessageId}}", "Handlers:Archive:MissingId=UseSourceId");

        Settlement settlement = await worker.SendAsync(body, "i", attributes: [new("tenant", "outer"), new("outer", "around")]);

        settlement.ShouldBe(Settlement.Complete);
        worker.Stored.Objects.ShouldHaveSingleItem().Key.ShouldBe($"{key}/i{(envelope.StartsWith("JsonArray", StringComparison.Ordinal) ? "-1" : "")}");
    }

    [Theory]
    [InlineData("ce-")]
    [InlineData("cloudEvents:")]
    [InlineData("cloudEvents_")]
    [InlineData("ce_")]
    public async Task CloudEvents_InBinaryMode_AreFiledByTheirAttributes(string prefix)
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync(
            "CloudEvents", "Handlers:Archive:Template={@attribute.ce-source:encode}/{MessageId}", "Handlers:Archive:MessageIdProperty=@attribute.ce-id");

        await worker.SendAsync(
            """{"x":1}""", attributes: [new(prefix + "specversion", "1.0"), new(prefix + "id", "1"), new(prefix + "source", "/s"), new(prefix + "type", "t")]);

        EnvelopeWorker.StoredBy(worker).ShouldBe(["=2fs/1: {\"x\":1}"]);
    }

    [Fact]
    public async Task CloudEvents_OfHttp_ArePercentDecoded()
    {
        await using TestWorker worker =
            await EnvelopeWorker.StartAsync("CloudEvents", "Handlers:Archive:Template={MessageId}", "Handlers:Archive:MessageIdProperty=@attribute.ce-id");

        await worker.SendAsync("{}", attributes: [new("ce-specversion", "1.0"), new("ce-id", "%E2%82%AC 100%")]);

        worker.Stored.Objects.ShouldHaveSingleItem().Key.ShouldBe("=e2=82=ac=20100=25");
    }

    [Theory]
    [InlineData("ce-", "100=25")]
    [InlineData("cloudEvents:", "100=2525")]
    [InlineData("cloudEvents_", "100=2525")]
    [InlineData("ce_", "100=2525")]
    public async Task CloudEvents_OfEachBinding_ArePercentDecodedForHttpAlone(string prefix, string key)
    {
        await using TestWorker worker =
            await EnvelopeWorker.StartAsync("CloudEvents", "Handlers:Archive:Template={MessageId}", "Handlers:Archive:MessageIdProperty=@attribute.ce-id");

        await worker.SendAsync("{}", attributes: [new(prefix + "specversion", "1.0"), new(prefix + "id", "100%25")]);

        worker.Stored.Objects.ShouldHaveSingleItem().Key.ShouldBe(key);
    }

    [Fact]
    public async Task CloudEvents_WithoutTheId_AreNotInBinaryMode()
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("CloudEvents");

        (await worker.SendAsync("""{"MessageId":"a"}""", attributes: [new("ce-specversion", "1.0")])).Reason.ShouldBe("not-a-cloudevent");
    }

    [Fact]
    public void MessageInfo_OfAnEnvelopedMessage_HidesOuterAttributesOfTheSameName()
    {
        SampleMessage outer = new(Encoding.UTF8.GetBytes(Sns), "i", [new("tenant", "outer"), new("outer", "around")], "g");
        UnwrappedMessage message = new();
        message.Open(outer, new SnsEnvelope(), "{}"u8.ToArray(), element: 0, storesWhole: false);
        MessageInfo info = new("archive", message);

        info.FindAttribute("tenant").ShouldBe("inner");
        info.FindAttribute("outer").ShouldBe("around");
        info.FindAttribute("none").ShouldBeNull();
        info.Group.ShouldBe("g");
        info.DeduplicationId.ShouldBeNull();
        info.Attributes.Select(attribute => $"{attribute.Key}={attribute.Value}").ShouldBe(
            ["tenant=inner", "n=7", "TopicArn=arn:t", "MessageId=sns-1", "Subject=sü😀", "Timestamp=2026-11-27T10:00:00Z", "outer=around"], ignoreOrder: true);
        message.Close();
        message.Open(outer, envelope: null, "{}"u8.ToArray(), element: 0, storesWhole: false);
        message.FindAttribute("tenant").ShouldBe("outer", "Nothing of the last message is left.");
    }
}
