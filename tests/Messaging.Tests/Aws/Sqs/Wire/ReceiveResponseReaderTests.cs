using System.Text;
using System.Text.Json;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Aws.Sqs.Wire;

public sealed class ReceiveResponseReaderTests : IDisposable
{
    private readonly BufferPool _buffers = new();
    private int _unusable;

    public void Dispose() => _buffers.Outstanding.ShouldBe(0);

    [Fact]
    public void Open_FullMessage_GivesItsParts()
    {
        SqsReceivedMessage[] batch = Open(ReceiveResponses.Of(ReceiveResponses.Message(@"{\""a\"":\""\ud83d\ude00 \n\\\""}")));

        batch.Length.ShouldBe(1);
        SqsReceivedMessage message = batch[0];
        Text(message.Body).ShouldBe("{\"a\":\"😀 \n\\\"}");
        Text(message.Handle).ShouldBe("handle/id-1==");
        Text(message.SourceId).ShouldBe("id-1");
        Text(message.GroupId).ShouldBe("group-7");
        message.Group.ShouldBe("group-7");
        message.DeduplicationId.ShouldBe("dedup-9");
        message.FindAttribute("n").ShouldBe("12.5");
        message.FindAttribute("raw").ShouldBeNull("It is binary.");
        message.FindAttribute(new string('\u20ac', 5_000)).ShouldBeNull();
        Text(message.TraceHeader).ShouldStartWith("Root=1-5759e988");
        message.ReceiveCount.ShouldBe(3);
        message.SentUnixMs.ShouldBe(1_792_000_000_123);
        (message.EnqueuedAt, message.FindSystemProperty("enqueued")).ShouldBe((DateTimeOffset.FromUnixTimeMilliseconds(1_792_000_000_123), null));
        message.SentUnixMs = 1_792_000_000_123_000;
        (message.EnqueuedAt, message.FindSystemProperty("enqueued")).ShouldBe((null, "1792000000123000"));
        message.FirstReceiveUnixMs.ShouldBe(1_792_000_001_456);
        IReadOnlyList<SqsMessageAttribute> attributes = message.MessageAttributes.ToList();
        attributes.Select(a => (a.Name, a.DataType, a.StringValue)).ShouldBe([("trace", "String", "a\"bé"), ("raw", "Binary", null), ("n", "Number", "12.5")]);
        attributes[1].BinaryValue.ToArray().ShouldBe([0, 1, 255]);
        message.ReleaseBody();
    }

    [Theory]
    [InlineData("{}")]
    [InlineData("{\"Messages\":[]}")]
    [InlineData("{\"Messages\":null}")]
    [InlineData("{\"Other\":[{\"Body\":\"x\"}],\"Messages\":[]}")]
    public void Open_NoMessages_ReturnsTheBufferImmediately(string json)
    {
        Open(json).ShouldBeEmpty();
    }

    [Fact]
    public void Open_NumbersAsNumbersAndUnknownParts_AreUnderstood()
    {
        SqsReceivedMessage[] batch = Open(
            """{"ResponseMetadata":{"x":[1,{"y":2}]},"Messages":[{"Body":"b","MessageId":"i","ReceiptHandle":"h","New":[{"Body":"no"}],"Attributes":{"ApproximateReceiveCount":7,"SentTimestamp":"soon","New":{}},"MessageAttributes":null,"MD5OfBody":null}]}""");

        batch[0].ReceiveCount.ShouldBe(7);
        batch[0].SentUnixMs.ShouldBe(0);
        batch[0].MessageAttributes.IsEmpty.ShouldBeTrue();
        batch[0].MessageAttributes.ToList().ShouldBeEmpty();
        batch[0].GroupId.IsEmpty.ShouldBeTrue();
        batch.ReleaseAll();
    }

    [Fact]
    public void Open_LoneSurrogate_IsNotTextAndLeavesTheOthersAlone()
    {
        SqsReceivedMessage[] batch = Open(
            ReceiveResponses.Of(
                ReceiveResponses.Message("fine", "1"), ReceiveResponses.Message(@"bad \ud800 end", "2"), ReceiveResponses.Message("fine too", "3")));

        batch.Length.ShouldBe(3);
        Text(batch[0].Body).ShouldBe("fine");
        batch[1].Body.ToArray().ShouldBe([.. "bad "u8, 0xED, 0xA0, 0x80, .. " end"u8]);
        Text(batch[2].Body).ShouldBe("fine too");
        batch.ReleaseAll();
    }

    [Fact]
    public void Open_RawInvalidUtf8_IsKept()
    {
        byte[] response = ReceiveResponses.Utf8(ReceiveResponses.Of(ReceiveResponses.Message("a?b")));
        response[response.AsSpan().IndexOf("a?b"u8) + 1] = 0xFF;

        SqsReceivedMessage[] batch = Open(response);

        batch[0].Body.ToArray().ShouldBe([(byte)'a', 0xFF, (byte)'b']);
        batch.ReleaseAll();
    }

    [Fact]
    public void Open_LoneSurrogateInAttribute_DoesNotThrow()
    {
        SqsReceivedMessage[] batch = Open(
            """{"Messages":[{"Body":"b","MessageId":"i","ReceiptHandle":"h","MessageAttributes":{"a\udc00":{"DataType":"String","StringValue":"x\ud800y"},"odd":7,"b":{"DataType":"Binary","BinaryValue":"%%"},"c":{"DataType":"Binary","BinaryValue":"\ud800"}}}]}""");

        batch[0].MessageAttributes
            .ToList()
            .Select(a => (a.Name, a.StringValue))
            .ShouldBe([("a\uFFFD\uFFFD\uFFFD", "x\uFFFD\uFFFD\uFFFDy"), ("b", null), ("c", null)]);
        batch[0].MessageAttributes.Find("traceparent"u8).ShouldBeNull();
        batch.ReleaseAll();
    }

    [Fact]
    public void Open_NamesWithEscapes_AreUnescapedAndHalfASurrogatePairIsNoName()
    {
        SqsReceivedMessage[] batch = Open(
            """{"\ud800":1,"Mess\u0061ges":[{"Body\udc00":"no","\u0042ody":"b","MessageId":"i","ReceiptHandle":"h","Attributes":{"\ud800\ud800":"1","Approximate\u0052eceiveCount":"2"}}]}""");

        Text(batch[0].Body).ShouldBe("b");
        batch[0].ReceiveCount.ShouldBe(2);
        batch.ReleaseAll();
    }

    [Theory]
    [InlineData("""{"Messages":[{"MessageId":"i","ReceiptHandle":"h"},{"Body":"ok","MessageId":"i","ReceiptHandle":"h"}]}""")]
    [InlineData("""{"Messages":[{"Body":null,"MessageId":"i","ReceiptHandle":"h"},{"Body":"ok","MessageId":"i","ReceiptHandle":"h"}]}""")]
    [InlineData("""{"Messages":[{"Body":"b","MessageId":"","ReceiptHandle":"h"},{"Body":"ok","MessageId":"i","ReceiptHandle":"h"}]}""")]
    [InlineData("""{"Messages":[{"Body":"b","MessageId":"i","ReceiptHandle":{}},{"Body":"ok","MessageId":"i","ReceiptHandle":"h"}]}""")]
    public void Open_EntryWithoutBodyHandleOrId_IsCountedAndSkipped(string json)
    {
        SqsReceivedMessage[] batch = Open(json);

        batch.Length.ShouldBe(1);
        _unusable.ShouldBe(1);
        Text(batch[0].Body).ShouldBe("ok");
        batch.ReleaseAll();
    }

    [Fact]
    public void Open_MoreThanRequested_KeepsTheRequestedNumber()
    {
        SqsReceivedMessage[] batch = Open(ReceiveResponses.Of([.. Enumerable.Range(0, 12).Select(i => ReceiveResponses.Message("b", $"{i}"))]), max: 2);

        batch.Length.ShouldBe(2);
        _unusable.ShouldBe(10);
        batch.ReleaseAll();
    }

    [Fact]
    public void Open_EveryTruncation_ThrowsAndKeepsNothing()
    {
        byte[] whole = ReceiveResponses.Utf8(ReceiveResponses.Of(ReceiveResponses.Message(@"a\ud83d\ude00é"), ReceiveResponses.Message("b", "2")));
        for (int length = 0; length < whole.Length; length++)
        {
            byte[] cut = whole[..length];
            Should.Throw<JsonException>(() => Open(cut), $"cut at {length}");
        }

        _buffers.Outstanding.ShouldBe(0);
    }

    [Theory]
    [InlineData("[]")]
    [InlineData("null")]
    [InlineData("{\"Messages\":{}}")]
    [InlineData("{\"Messages\":[7]}")]
    [InlineData("{\"Messages\":[]} trailing")]
    [InlineData("<html>busy</html>")]
    [InlineData("{\"Messages\":[{\"Body\":\"raw \u0001 control\"}]}")]
    [InlineData("{\"Messages\":[{\"Body\":\"\\ud83d\\uZZZZ\"}]}")]
    public void Open_NotAReceiveResponse_Throws(string json)
    {
        Should.Throw<JsonException>(() => Open(json));
    }

    private static string Text(ReadOnlyMemory<byte> bytes) => Encoding.UTF8.GetString(bytes.Span);

    private SqsReceivedMessage[] Open(string json, int max = 10) => Open(ReceiveResponses.Utf8(json), max);

    private SqsReceivedMessage[] Open(byte[] json, int max = 10)
    {
        PooledBuffer response = _buffers.Rent(json.Length);
        response.Append(json);
        SqsReceivedMessage[] messages = ReceivedMessages.Clean(max);
        try
        {
            (int count, _unusable) = new ReceiveBatch(pool: null).Open(response, messages);
            return messages[..count];
        }
        catch
        {
            messages.ReleaseAll();
            response.Dispose();
            throw;
        }
    }
}
