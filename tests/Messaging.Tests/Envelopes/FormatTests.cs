using System.IO.Compression;
using System.Text;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Envelopes;

/// <summary>Each envelope: what is stored of a message in it, and what becomes of a message that is not.</summary>
public sealed class FormatTests
{
    private const string Message = """{"MessageId":"a"}""";
    private const string Notification = """{"Type":"Notification","MessageId":"22b8","TopicArn":"arn:aws:sns:eu-west-1:1:orders","Message":"{\"MessageId\":\"a\"}","Timestamp":"2026-01-31T10:00:00.000Z"}""";
    // GZipStream itself writes nothing for an empty content.
    private static readonly byte[] EmptyMember = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];

    /// <summary>The envelopes, and a message in them, in Latin-1 for those with bytes.</summary>
    public static TheoryData<string, string> Wrapped => new()
    {
        { "Sns", Notification },
        { "Sns", "\u00EF\u00BB\u00BF" + Notification },
        { "Sns",
            """{"Message":"{\u0022MessageId\u0022:\u0022a\u0022}","Type":"Notification","MessageId":"1","TopicArn":"t","MessageAttributes":{"Message":{"Type":"String","Value":"x"}}}""" },
        { "EventBridge", """{"version":"0","id":"e","detail-type":"t","source":"s","resources":[],"detail":{"MessageId":"a"}}""" },
        { "CloudEvents", """{"specversion":"1.0","id":"1","source":"/s","type":"t","data":{"MessageId":"a"}}""" },
        { "CloudEvents",
            """{"specversion":"1.0","id":"1","source":"/s","type":"t","datacontenttype":"application/json; charset=utf-8","data":{"MessageId":"a"}}""" },
        { "CloudEvents", """{"specversion":"1.0","id":"1","source":"/s","type":"t","datacontenttype":"text/plain","data":"{\"MessageId\":\"a\"}"}""" },
        { "CloudEvents",
            """{"id":"1","source":"/aws/messaging","specversion":"1.0","type":"Shop.Order","time":"2026-01-31T10:00:00+00:00","data":"{\"MessageId\":\"a\"}"}""" },
        { "CloudEvents", """{"specversion":"1.0","id":"1","source":"/s","type":"t","data_base64":"eyJNZXNzYWdlSWQiOiJhIn0="}""" },
        { "CloudEvents", """{"specversion":"1.0","id":"1","source":"/s","type":"t","data_base64":"eyJNZXNzYWdlSWQi\u004fiJhIn0="}""" },
        { "CloudEvents", """{"specversion":"1.0","id":"1","source":"/s","type":"t","datacontenttype":"text\/plain","data":"{\"MessageId\":\"a\"}"}""" },
        { "CloudEvents, CloudEvents",
            """{"specversion":"1.0","id":"1","source":"/s","type":"t","data":{"specversion":"1.0","id":"2","source":"/s","type":"t","data":{"MessageId":"a"}}}""" },
        { "JsonArray, CloudEvents", """[{"specversion":"1.0","id":"1","source":"/s","type":"t","data":{"MessageId":"a"}}]""" },
        { "Base64", "eyJNZXNzYWdlSWQiOiJhIn0=" },
        { "Base64", "eyJNZXNzYWdlSWQi\r\nOiJhIn0=\n" },
        { "Base64", "eyJNZXNzYWdlSWQiOiJhIn0" },
        { "Gzip", Latin1(Compressed(Message, stream => new GZipStream(stream, CompressionLevel.Optimal))) },
        { "Gzip",
            Latin1([
                .. Compressed("{\"Message", stream => new GZipStream(stream, CompressionLevel.Optimal)),
                .. Compressed("Id\":\"a\"}", stream => new GZipStream(stream, CompressionLevel.Fastest))]) },
        { "Gzip", Latin1([.. EmptyMember, .. Compressed(Message, stream => new GZipStream(stream, CompressionLevel.Optimal)), .. EmptyMember]) },
        { "Sns, Base64, Gzip",
            $$"""{"Type":"Notification","MessageId":"1","TopicArn":"t","Message":"{{Convert.ToBase64String(Compressed(Message, stream => new GZipStream(stream, CompressionLevel.Optimal)))}}"}""" },
        { "sns,eventbridge",
            """{"Type":"Notification","MessageId":"1","TopicArn":"t","Message":"{\"detail-type\":\"t\",\"source\":\"s\",\"detail\":{\"MessageId\":\"a\"}}"}""" },
    };

    /// <summary>An envelope, a message that is not in it or is damaged, the reason, and a part of the description.</summary>
    public static TheoryData<string, string, string, string> Refused => new()
    {
        { "Sns", Message, "not-an-sns-envelope", "has no Type" },
        { "Sns", "", "not-an-sns-envelope", "byte 0" },
        { "Sns", "{\"Type\":", "not-an-sns-envelope", "byte 8" },
        { "Sns", Notification + "x", "not-an-sns-envelope", "byte 159" },
        { "Sns", """{"Type":"Notification","MessageId":"1","TopicArn":"t","Message":{"MessageId":"a"}}""", "not-an-sns-envelope", "byte 64" },
        { "Sns", """{"Type":"Notification","MessageId":"1","TopicArn":"t","Message":"\ud800"}""", "not-an-sns-envelope", "byte 64" },
        { "Sns", """{"Type":"Alarm","MessageId":"1","TopicArn":"t","Message":"x"}""", "not-an-sns-envelope", "Alarm" },
        { "Sns",
            """{"Type":"SubscriptionConfirmation","MessageId":"1","Token":"x","TopicArn":"arn:aws:sns:eu-west-1:1:orders","Message":"You have chosen to subscribe","SubscribeURL":"https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription"}""", "sns-subscription-confirmation", "subscribes to arn:aws:sns:eu-west-1:1:orders. It is no message. A subscription of a queue needs no confirmation. One of a URL is confirmed by the worker if Envelopes:Sns:Topics names the topic" },
        { "Sns", """{"\ud800":1,"x":{}}""", "not-an-sns-envelope", "has no Type" },
        { "EventBridge", Message, "not-an-eventbridge-event", "detail-type" },
        { "EventBridge", "[]", "not-an-eventbridge-event", "byte 0" },
        { "CloudEvents", Message, "not-a-cloudevent", "specversion" },
        { "CloudEvents", """{"specversion":"1.0","id":"1","source":"/s","type":"t"}""", "cloudevent-without-data", "data_base64" },
        { "CloudEvents", """{"specversion":"1.0","id":"1","source":"/s","type":"t","data_base64":"?"}""", "cloudevent-damaged", "byte 69" },
        { "CloudEvents", """{"specversion":"1.0","id":"1","source":"/s","type":"t","datacontenttype":"text/plain","data":"\udc00"}""", "cloudevent-damaged",
            "byte 93" },
        { "Base64", Message, "not-base64", "byte 0" },
        { "Base64", "eyJN*", "not-base64", "byte 4" },
        { "Base64", "AA%", "not-base64", "byte 2" },
        { "Base64", "\r\nAAA% ", "not-base64", "byte 5" },
        { "Base64", "", "not-base64", "empty" },
        { "Gzip", Message, "not-gzip", "byte 0" },
        { "Gzip", "\u001F\u008B\u0008", "gzip-damaged", "a header" },
        { "Gzip", Latin1(Compressed(Message, stream => new GZipStream(stream, CompressionLevel.Optimal))[..^1]), "gzip-damaged", "cut off" },
        { "Gzip",
            Latin1([
                .. Compressed(Message, stream => new GZipStream(stream, CompressionLevel.Optimal))[..^8], 0,
                .. Compressed(Message, stream => new GZipStream(stream, CompressionLevel.Optimal))[^8..]]), "gzip-damaged", "checksum" },
        { "Gzip", Latin1(Compressed(Message, stream => new GZipStream(stream, CompressionLevel.Optimal))[..^12]), "gzip-damaged", "cut off" },
        { "Gzip", Latin1([.. Compressed(Message, stream => new GZipStream(stream, CompressionLevel.Optimal)), 0]), "gzip-damaged", "other bytes follow" },
        { "Gzip", Latin1([0x1F, 0x8B, 8, 2, 0, 0, 0, 0, 0, 3, 0, 0, .. Compressed(Message, stream => new GZipStream(stream, CompressionLevel.Optimal))[10..]]),
            "gzip-damaged", "a header" },
    };

    [Theory]
    [MemberData(nameof(Wrapped))]
    public async Task Content_OfTheEnvelope_IsStoredUnderItsOwnKey(string envelope, string body)
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync(envelope);

        Settlement settlement = await worker.SendAsync(Encoding.Latin1.GetBytes(body));

        settlement.ShouldBe(Settlement.Complete);
        EnvelopeWorker.StoredBy(worker).ShouldBe([$"a: {Message}"]);
    }

    [Theory]
    [MemberData(nameof(Refused))]
    public async Task Body_ThatIsNotWhatItsEnvelopeSays_IsADeadLetterWhole(string envelope, string body, string reason, string description)
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync(envelope);

        Settlement settlement = await worker.SendAsync(Encoding.Latin1.GetBytes(body), "whole");

        settlement.Reason.ShouldBe(reason);
        settlement.Description!.ShouldContain(description);
        DeadLetteredMessage dead = worker.DeadLetters.Messages.ShouldHaveSingleItem();
        dead.Id.ShouldBe("whole");
        Encoding.Latin1.GetString(dead.Body).ShouldBe(body);
        worker.Stored.Objects.ShouldBeEmpty();
    }

    [Theory]
    [InlineData("ce-")]
    [InlineData("cloudEvents:")]
    public async Task CloudEvents_InBinaryMode_PassesTheBody(string attribute)
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("CloudEvents");

        await worker.SendAsync(Message, attributes: [new(attribute + "specversion", "1.0"), new(attribute + "id", "1")]);

        EnvelopeWorker.StoredBy(worker).ShouldBe([$"a: {Message}"]);
    }

    [Theory]
    [InlineData("Sns", Message)]
    [InlineData("Base64", Message)]
    [InlineData("Gzip", Message)]
    public async Task Unrecognized_WherePassIsSet_IsProcessedAsItIs(string envelope, string body)
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync(envelope, "Unwrapping:Unrecognized=Pass");

        (await worker.SendAsync(body)).ShouldBe(Settlement.Complete);
        EnvelopeWorker.StoredBy(worker).ShouldBe([$"a: {Message}"]);
    }

    [Fact]
    public async Task Damaged_WherePassIsSet_IsADeadLetterAllTheSame()
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("Gzip", "Unwrapping:Unrecognized=Pass");

        (await worker.SendAsync(Compressed(Message, stream => new GZipStream(stream, CompressionLevel.Optimal))[..^1])).Reason.ShouldBe("gzip-damaged");
    }

    [Fact]
    public async Task Whole_WhereItIsToBeStored_IsUnderTheKeyOfItsContent()
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("Sns, Base64", "Unwrapping:Store=Whole");
        const string Body = """{"Type":"Notification","MessageId":"1","TopicArn":"t","Message":"eyJNZXNzYWdlSWQiOiJhIn0="}""";

        (await worker.SendAsync(Body)).ShouldBe(Settlement.Complete);
        EnvelopeWorker.StoredBy(worker).ShouldBe([$"a: {Body}"]);
    }

    [Fact]
    public async Task Content_ThatTheHandlerRefuses_IsADeadLetterWholeAndSaysSo()
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync("Base64");

        Settlement settlement = await worker.SendAsync("e30=", "whole");

        settlement.Reason.ShouldBe("missing-id");
        settlement.Description.ShouldStartWith("In the content of the envelope Base64: ");
        worker.DeadLetters.Messages.ShouldHaveSingleItem().Body.ShouldBe("e30="u8.ToArray());
    }

    internal static byte[] Compressed(string text, Func<Stream, Stream> compress)
    {
        MemoryStream compressed = new();
        using (Stream stream = compress(compressed))
        {
            stream.Write(Encoding.UTF8.GetBytes(text));
        }

        return compressed.ToArray();
    }

    private static string Latin1(byte[] bytes) => Encoding.Latin1.GetString(bytes);
}
