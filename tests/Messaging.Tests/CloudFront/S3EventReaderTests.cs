using System.Text;
using System.Text.Json;
using Quayside.Messaging.CloudFront.Events;

namespace Messaging.Tests.CloudFront;

/// <summary>Events as S3 sends them, and messages that are not S3 events.</summary>
public sealed class S3EventReaderTests
{
    private static readonly S3EventReader Reader = new(["logs", "other-logs"], string.Empty);

    public static TheoryData<string, string> Poison => new()
    {
        { "", "empty-body" },
        { " \r\n\t", "empty-body" },
        { "\uFEFF", "empty-body" },
        { "{", "malformed-json" },
        { "{} x", "malformed-json" },
        { "{\"Records\":[]", "malformed-json" },
        { "not json", "malformed-json" },
        { "{\"Records\":[" + new string('[', 80) + new string(']', 80) + "]}", "malformed-json" },
        { "[]", "event-no-records" },
        { "1", "event-no-records" },
        { "null", "event-no-records" },
        { "{}", "event-no-records" },
        { "{\"Records\":{}}", "event-no-records" },
        { "{\"Records\":null}", "event-no-records" },
        { "{\"Event\":\"s3:Other\"}", "event-no-records" },
        { "{\"Message\":\"{}\"}", "event-no-records" },
        { "{\"Message\":\"{\\\"Message\\\":\\\"{}\\\"}\"}", "event-no-records" },
        { "{\"detail-type\":\"Object Created\",\"detail\":{\"bucket\":{\"name\":\"logs\"},\"object\":{\"key\":\"a\"}}}", "event-no-records" },
        { "{\"detail-type\":1,\"source\":\"aws.s3\"}", "event-no-records" },
        { "{\"detail-type\":\"Object Created\",\"source\":\"aws.s3\"}", "event-bad-record" },
        { "{\"detail-type\":\"Object Created\",\"source\":\"aws.s3\",\"detail\":[]}", "event-bad-record" },
        { "{\"detail-type\":\"Object Created\",\"source\":\"aws.s3\",\"detail\":{\"bucket\":{\"name\":\"logs\"},\"object\":{}}}", "event-bad-record" },
        { "{\"detail-type\":\"Object Created\",\"detail-type\":\"Object Deleted\",\"source\":\"aws.s3\"}", "duplicate-property" },
        { Events.EventBridge("a", bucket: "elsewhere"), "event-wrong-bucket" },
        { Events.EventBridge("a/../b"), "event-bad-key" },
        { Events.EventBridge("/a"), "event-bad-key" },
        { Events.EventBridge("a\\u0000"), "event-bad-key" },
        { Events.EventBridge(new string('k', 1_025)), "event-bad-key" },
        { Events.EventBridge("a\\ud800"), "invalid-utf8" },
        { "{\"Message\":\"{\"}", "event-no-records" },
        { "{\"Message\":\"\"}", "event-no-records" },
        { "{\"Message\":\" \"}", "event-no-records" },
        { "{\"Records\":[1]}", "event-bad-record" },
        { "{\"Records\":[{\"eventName\":\"ObjectCreated:Put\",\"s3\":{\"bucket\":{\"name\":\"logs\"},\"object\":{\"key\":\"a\",\"eTag\":\"\u00e9\"}}}]}",
            "event-bad-record" },
        { "{\"Records\":[{\"eventName\":\"ObjectCreated:Put\",\"s3\":{\"bucket\":{\"name\":\"logs\"},\"object\":{\"key\":\"a\",\"eTag\":\"a\\nb\"}}}]}",
            "event-bad-record" },
        { "{\"Records\":[{\"eventName\":\"ObjectCreated:Put\",\"s3\":{\"bucket\":{\"name\":\"logs\"},\"object\":{\"key\":\"a\",\"eTag\":\""
            + new string('a', 257) + "\"}}}]}", "event-bad-record" },
        { "{\"Records\":[{}]}", "event-bad-record" },
        { "{\"Records\":[{\"eventName\":null}]}", "event-bad-record" },
        { "{\"Records\":[{\"eventName\":1}]}", "event-bad-record" },
        { "{\"Records\":[{\"eventName\":\"ObjectCreated:Put\"}]}", "event-bad-record" },
        { "{\"Records\":[{\"eventName\":\"ObjectCreated:Put\",\"s3\":1}]}", "event-bad-record" },
        { "{\"Records\":[{\"eventName\":\"ObjectCreated:Put\",\"s3\":{\"bucket\":{},\"object\":{\"key\":\"a\"}}}]}", "event-bad-record" },
        { "{\"Records\":[{\"eventName\":\"ObjectCreated:Put\",\"s3\":{\"bucket\":{\"name\":\"logs\"},\"object\":{}}}]}", "event-bad-record" },
        { "{\"Records\":[{\"eventName\":\"ObjectCreated:Put\",\"s3\":{\"bucket\":{\"name\":\"logs\"},\"object\":{\"key\":[\"a\"]}}}]}", "event-bad-record" },
        { "{\"Records\":[{\"eventName\":\"ObjectCreated:Put\",\"s3\":{\"bucket\":[],\"object\":{\"key\":\"a\"}}}]}", "event-bad-record" },
        { "{\"Records\":[],\"Records\":[]}", "duplicate-property" },
        { "{\"Records\":[{\"eventName\":\"ObjectCreated:Put\",\"eventName\":\"ObjectRemoved:Delete\",\"s3\":{\"bucket\":{\"name\":\"logs\"},"
            + "\"object\":{\"key\":\"a\"}}}]}", "duplicate-property" },
        { "{\"Records\":[{\"eventName\":\"ObjectCreated:Put\",\"s3\":{\"bucket\":{\"name\":\"logs\"},\"object\":{\"key\":\"a\",\"k\\u0065y\":\"b\"}}}]}",
            "duplicate-property" },
        { "{\"Records\":[{\"eventName\":\"ObjectCreated:Put\",\"s3\":{\"bucket\":{\"name\":\"logs\"},\"object\":{\"key\":\"a\"},\"object\":{\"key\":\"a\"}}}]}",
            "duplicate-property" },
        { Events.Of(Events.Record("a\\ud800")), "invalid-utf8" },
        { Events.Of(Events.Record("")), "event-bad-key" },
        { Events.Of(Events.Record("a%2")), "event-bad-key" },
        { Events.Of(Events.Record("a%zz")), "event-bad-key" },
        { Events.Of(Events.Record("a%ff")), "event-bad-key" },
        { Events.Of(Events.Record("a%00")), "event-bad-key" },
        { Events.Of(Events.Record("../%2e%2e/x")), "event-bad-key" },
        { Events.Of(Events.Record("a/%2e/x")), "event-bad-key" },
        { Events.Of(Events.Record("/a")), "event-bad-key" },
        { Events.Of(Events.Record("%2Fa")), "event-bad-key" },
        { Events.Of(Events.Record(new string('k', 1_025))), "event-bad-key" },
        { Events.Of(Events.Record("a", bucket: "elsewhere")), "event-wrong-bucket" },
        { Events.Of(Events.Record("a", bucket: "LOGS")), "event-wrong-bucket" },
        { Events.Of(Events.Record("a"), Events.Record("b", bucket: "elsewhere")), "event-wrong-bucket" },
    };

    [Theory]
    [InlineData(true, "invalid-utf8")]
    [InlineData(false, "malformed-json")]
    public void Read_Utf16_SaysSo(bool hasMark, string reason)
    {
        S3Event read = Reader.Read((byte[])[.. hasMark ? Encoding.Unicode.GetPreamble() : [], .. Encoding.Unicode.GetBytes("{}")]);

        read.Fault.ShouldBe(reason);
        read.Detail.ShouldBe("It looks like UTF-16; send it as UTF-8.");
    }

    [Theory]
    [MemberData(nameof(Poison))]
    public void Read_Poison_HasItsReason(string body, string reason)
    {
        S3Event read = Read(body);

        read.Fault.ShouldBe(reason);
        read.Objects.ShouldBeEmpty();
        read.Detail.Length.ShouldBeLessThan(600);
    }

    [Theory]
    [InlineData(
        """{"Type":"SubscriptionConfirmation","MessageId":"1","Message":"To confirm, visit it","SubscribeURL":"https://a.example/?Token=secret-token"}""",
        "Confirm the subscription with its SubscribeURL")]
    [InlineData("""{"Type":"UnsubscribeConfirmation","Message":"You have chosen to deactivate","SubscribeURL":"https://sns.example/"}""", "SNS sent it")]
    [InlineData("""{"Type":"SubscriptionConfirmation","Message":"{}"}""", "SNS sent it")]
    [InlineData("""{"Type":"Notification","Message":"a text"}""", "its text is not JSON")]
    [InlineData(
        """{"detail-type":"EC2 Instance State-change Notification","source":"aws.ec2","detail":{"state":"running"}}""",
        "an event of EventBridge, but its source is not aws.s3")]
    public void Read_WellFormedJsonThatIsNoS3Event_SaysWhatItIs(string body, string detail)
    {
        S3Event read = Read(body);

        read.Fault.ShouldBe(EventFault.NoRecords);
        read.Detail.ShouldContain(detail);
        read.Detail.ShouldNotContain("secret-token");
    }

    [Theory]
    [InlineData("100%.gz")]
    [InlineData("a%zz+b.gz")]
    public void Read_KeyThatWasNeverEncoded_SaysSo(string key)
    {
        S3Event read = Read(Events.Of(Events.Record(key)));

        read.Fault.ShouldBe(EventFault.BadKey);
        read.Detail.ShouldContain(
            "not URL-encoded as S3 encodes keys (some stores, such as Ceph, do not encode them: set Handlers:CloudFront:KeyEncoding to None)");
        read.Detail.ShouldContain(key);
    }

    [Theory]
    [InlineData("red+flower.gz", "red flower.gz")]
    [InlineData("1%2B1.gz", "1+1.gz")]
    [InlineData("a%252Bb", "a%2Bb")]
    [InlineData("a%20b", "a b")]
    [InlineData("E2EXAMPLE.2026-01-31-10.abcd1234.gz", "E2EXAMPLE.2026-01-31-10.abcd1234.gz")]
    [InlineData("year%3D2026/%C3%A9%F0%9F%98%80", "year=2026/\u00e9\U0001F600")]
    [InlineData("..x/y.", "..x/y.")]
    public void Read_EncodedKey_IsDecodedOnce(string encoded, string key) => Read(Events.Of(Events.Record(encoded))).Objects.Single().Key.ShouldBe(key);

    [Fact]
    public void Read_LongestKey_IsAccepted() => Read(Events.Of(Events.Record(new string('k', 1_024)))).Objects.Single().Key.Length.ShouldBe(1_024);

    [Fact]
    public void Read_Event_HasEverythingOfItsObjects()
    {
        S3Event read = Read(Events.Of(
            Events.Record("a.gz", versionId: "096fKKXTRTtl3on89fVO.nfljtsv6qko"),
            Events.Record("b.gz", bucket: "other-logs", eTag: null, eventName: "ObjectCreated:CompleteMultipartUpload"),
            Events.Record("c.gz", eventName: "s3:ObjectCreated:Copy")));

        read.Fault.ShouldBeNull();
        read.Ignored.ShouldBe(0);
        read.Objects.ShouldBe(
        [
            new LogObject("logs", "a.gz", "096fKKXTRTtl3on89fVO.nfljtsv6qko", "d41d8cd98f00b204e9800998ecf8427e"),
            new LogObject("other-logs", "b.gz", null, null),
            new LogObject("logs", "c.gz", null, "d41d8cd98f00b204e9800998ecf8427e"),
        ]);
    }

    [Theory]
    [InlineData("ObjectRemoved:Delete")]
    [InlineData("ObjectRestore:Completed")]
    [InlineData("ObjectTagging:Put")]
    [InlineData("ReducedRedundancyLostObject")]
    public void Read_OtherKindsOfEvents_AreIgnoredAndCounted(string eventName)
    {
        S3Event read =
            Read(Events.Of(Events.Record("a", eventName: eventName), Events.Record("b"), Events.Record("c", bucket: "elsewhere", eventName: eventName)));

        read.Objects.Single().Key.ShouldBe("b");
        read.Ignored.ShouldBe(2);
    }

    [Fact]
    public void Read_TestEvent_IsIgnored()
    {
        S3Event read = Read(Events.Test);

        read.Fault.ShouldBeNull();
        read.Objects.ShouldBeEmpty();
        read.Ignored.ShouldBe(1);
    }

    [Fact]
    public void Read_NoRecordInTheArray_NamesNoObject() => Read("""{"Records":[]}""").Fault.ShouldBeNull();

    [Fact]
    public void Read_EventInsideOfSns_IsUnwrapped()
    {
        string wrapped = JsonSerializer.Serialize(new Dictionary<string, string>
        {
            ["Type"] = "Notification",
            ["TopicArn"] = "arn:aws:sns:eu-west-1:000000000000:logs",
            ["Message"] = Events.Of(Events.Record("red+flower.gz")),
        });

        Read(wrapped).Objects.Single().Key.ShouldBe("red flower.gz");
    }

    [Theory]
    [InlineData("""{"detail-type":"Object Created","source":"aws.s3","detail":{"bucket":{"name":"logs"},"object":{"key":"k","size":1}}}""")]
    public void Read_EventOfEventBridge_NamesItsObject(string body)
    {
        LogObject expected = new("logs", "k", null, null);

        Read(body).Objects.ShouldBe([expected]);
        Read(JsonSerializer.Serialize(new { Type = "Notification", Message = body })).Objects.ShouldBe([expected]);
    }

    [Theory]
    [InlineData("red+flower.gz")]
    [InlineData("a%20b%zz 2023-08-08T14:03:40.zip")]
    public void Read_EventOfEventBridge_KeyIsNotDecoded(string key) =>
        Read(Events.EventBridge(key)).Objects.ShouldBe([new LogObject("logs", key, "096fKKXTRTtl3on89fVO.nfljtsv6qko", "d41d8cd98f00b204e9800998ecf8427e")]);

    [Fact]
    public void Read_OtherEventsOfEventBridge_AreIgnoredAndCounted()
    {
        S3Event read = Read(Events.EventBridge("a", type: "Object Deleted"));

        (read.Fault, read.Objects.Length, read.Ignored).ShouldBe((null, 0, 1));
        new S3EventReader(["logs"], "cdn/").Read(Encoding.UTF8.GetBytes(Events.EventBridge("a"))).Ignored.ShouldBe(1);
    }

    [Theory]
    [InlineData("raw+plus.gz")]
    [InlineData("100%.gz")]
    [InlineData("a%20b")]
    public void Read_KeyEncodingNone_KeyIsUnchanged(string key)
    {
        S3EventReader reader = new(["logs"], string.Empty, KeyEncoding.None);

        reader.Read(Encoding.UTF8.GetBytes(Events.Of(Events.Record(key)))).Objects.ShouldBe(
            [new LogObject("logs", key, null, "d41d8cd98f00b204e9800998ecf8427e")]);
        reader.Read(Encoding.UTF8.GetBytes(Events.Of(Events.Record("../a")))).Detail.ShouldNotContain("KeyEncoding");
    }

    [Fact]
    public void Read_FilteredKeys_AreIgnoredAndCounted()
    {
        S3EventReader reader = new(["logs"], "cdn/");

        S3Event read = reader.Read(
            Encoding.UTF8.GetBytes(Events.Of(Events.Record("cdn/a.gz"), Events.Record("b.gz"), Events.Record("cdn.gz"), Events.Record("cdn%2Fd.gz"))));

        read.Objects.Select(log => log.Key).ShouldBe(["cdn/a.gz", "cdn/d.gz"]);
        read.Ignored.ShouldBe(2);
    }

    [Fact]
    public void Read_InvalidUtf8_IsPoison() =>
    Reader.Read(new byte[] { (byte)'{', (byte)'"', 0xC3, (byte)'"', (byte)':', (byte)'1', (byte)'}' }).Fault.ShouldBe(EventFault.InvalidUtf8);

    [Fact]
    public void Read_TruncatedAtEveryByte_IsMalformed()
    {
        byte[] whole = Encoding.UTF8.GetBytes(Events.Of(Events.Record("a.gz")));
        for (int length = 1; length < whole.Length; length++)
        {
            Reader.Read(whole.AsMemory(0, length)).Fault.ShouldBe(EventFault.MalformedJson, $"{length} bytes");
        }
    }

    [Fact]
    public void Read_EveryByteReplaced_NeverThrows()
    {
        byte[] whole = Encoding.UTF8.GetBytes(Events.Of(Events.Record("a%20b.gz", versionId: "v"), Events.Record("c")));
        int wrong = 0;
        foreach (byte value in "\"{}[],:\\0x%+\u0000"u8)
        {
            for (int at = 0; at < whole.Length; at++)
            {
                byte[] damaged = [.. whole];
                damaged[at] = value;
                S3Event read = Reader.Read(damaged);
                wrong += read.Fault is null ? 0 : 1;
                (read.Fault is null || read.Objects.Length == 0).ShouldBeTrue();
            }
        }

        wrong.ShouldBeGreaterThan(1_000);
    }

    [Fact]
    public void Read_DeeplyNestedUnknownProperty_TakesLinearTime()
    {
        string deep = $"{{\"x\":{new string('[', 500_000)}";

        Read(deep).Fault.ShouldBe(EventFault.MalformedJson);
    }

    private static S3Event Read(string body) => Reader.Read(Encoding.UTF8.GetBytes(body));
}
