using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Messaging.Aws.Sqs.Wire;
using Pipeline.Buffers;

namespace Worker.Tests.Aws.Sqs.Wire;

public sealed class ReceiveResponseReaderTests : IDisposable
{
    private readonly BufferPool _buffers = new();
    private readonly BoundedPool<ReceiveBatch> _batches = new(4);

    public void Dispose() => _buffers.Outstanding.ShouldBe(0);

    [Fact]
    public void Open_FullMessage_GivesItsParts()
    {
        ReceiveBatch batch = Open(ReceiveResponses.Of(ReceiveResponses.Message(@"{\""a\"":\""\ud83d\ude00 \n\\\""}")));

        batch.Count.ShouldBe(1);
        SqsMessage message = batch[0];
        Text(message.Body).ShouldBe("{\"a\":\"😀 \n\\\"}");
        Text(message.ReceiptHandle).ShouldBe("handle/id-1==");
        Text(message.MessageId).ShouldBe("id-1");
        Text(message.GroupId).ShouldBe("group-7");
        Text(message.DeduplicationId).ShouldBe("dedup-9");
        message.ReceiveCount.ShouldBe(3);
        message.SentUnixMs.ShouldBe(1_792_000_000_123);
        message.FirstReceiveUnixMs.ShouldBe(1_792_000_001_456);
        message.Flags.ShouldBe(SqsMessageFlags.None);
        IReadOnlyList<SqsMessageAttribute> attributes = message.Attributes.ToList();
        attributes.Select(a => (a.Name, a.DataType, a.StringValue)).ShouldBe([("trace", "String", "a\"bé"), ("raw", "Binary", null), ("n", "Number", "12.5")]);
        attributes[1].BinaryValue.ToArray().ShouldBe([0, 1, 255]);
        message.Release().ShouldBeTrue();
    }

    [Theory]
    [InlineData("{}")]
    [InlineData("{\"Messages\":[]}")]
    [InlineData("{\"Messages\":null}")]
    [InlineData("{\"Other\":[{\"Body\":\"x\"}],\"Messages\":[]}")]
    public void Open_NoMessages_ReturnsTheBufferAtOnce(string json)
    {
        Open(json).Count.ShouldBe(0);
    }

    [Fact]
    public void Open_NumbersAsNumbersAndUnknownParts_AreUnderstood()
    {
        ReceiveBatch batch = Open(
            """{"ResponseMetadata":{"x":[1,{"y":2}]},"Messages":[{"Body":"b","MessageId":"i","ReceiptHandle":"h","New":[{"Body":"no"}],"Attributes":{"ApproximateReceiveCount":7,"SentTimestamp":"soon","New":{}},"MessageAttributes":null,"MD5OfBody":null}]}""");

        batch[0].ReceiveCount.ShouldBe(7);
        batch[0].SentUnixMs.ShouldBe(0);
        batch[0].Attributes.IsEmpty.ShouldBeTrue();
        batch[0].Attributes.ToList().ShouldBeEmpty();
        batch[0].GroupId.IsEmpty.ShouldBeTrue();
        batch.ReleaseAll();
    }

    [Fact]
    public void Open_LoneSurrogate_IsFlaggedAndLeavesTheOthersAlone()
    {
        ReceiveBatch batch = Open(ReceiveResponses.Of(ReceiveResponses.Message("fine", "1"), ReceiveResponses.Message(@"bad \ud800 end", "2"), ReceiveResponses.Message("fine too", "3")));

        batch.Count.ShouldBe(3);
        batch[0].Flags.ShouldBe(SqsMessageFlags.None);
        batch[1].Flags.ShouldBe(SqsMessageFlags.InvalidText);
        batch[1].Body.ToArray().ShouldBe([.. "bad "u8, 0xED, 0xA0, 0x80, .. " end"u8]);
        Text(batch[2].Body).ShouldBe("fine too");
        batch.ReleaseAll();
    }

    [Fact]
    public void Open_RawInvalidUtf8_IsFlagged()
    {
        byte[] response = ReceiveResponses.Utf8(ReceiveResponses.Of(ReceiveResponses.Message("a?b")));
        response[response.AsSpan().IndexOf("a?b"u8) + 1] = 0xFF;

        ReceiveBatch batch = Open(response);

        batch[0].Flags.ShouldBe(SqsMessageFlags.InvalidText);
        batch[0].Body.ToArray().ShouldBe([(byte)'a', 0xFF, (byte)'b']);
        batch.ReleaseAll();
    }

    [Fact]
    public void Open_LoneSurrogateInAttribute_DoesNotThrow()
    {
        ReceiveBatch batch = Open("""{"Messages":[{"Body":"b","MessageId":"i","ReceiptHandle":"h","MessageAttributes":{"a\udc00":{"DataType":"String","StringValue":"x\ud800y"},"odd":7,"b":{"DataType":"Binary","BinaryValue":"%%"},"c":{"DataType":"Binary","BinaryValue":"\ud800"}}}]}""");

        batch[0].Attributes.ToList().Select(a => (a.Name, a.StringValue)).ShouldBe([("a\uFFFD\uFFFD\uFFFD", "x\uFFFD\uFFFD\uFFFDy"), ("b", null), ("c", null)]);
        batch[0].Attributes.Find("traceparent"u8).ShouldBeNull();
        batch.ReleaseAll();
    }

    [Fact]
    public void Open_NamesWithEscapes_AreUnescapedAndHalfASurrogatePairIsNoName()
    {
        ReceiveBatch batch = Open("""{"\ud800":1,"Mess\u0061ges":[{"Body\udc00":"no","\u0042ody":"b","MessageId":"i","ReceiptHandle":"h","Attributes":{"\ud800\ud800":"1","Approximate\u0052eceiveCount":"2"}}]}""");

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
        ReceiveBatch batch = Open(json);

        batch.Count.ShouldBe(1);
        batch.Unusable.ShouldBe(1);
        Text(batch[0].Body).ShouldBe("ok");
        batch[0].Release().ShouldBeTrue();
    }

    [Fact]
    public void Open_MoreThanRequested_KeepsTheRequestedNumber()
    {
        ReceiveBatch batch = Open(ReceiveResponses.Of([.. Enumerable.Range(0, 12).Select(i => ReceiveResponses.Message("b", $"{i}"))]), max: 2);

        batch.Count.ShouldBe(2);
        batch.Unusable.ShouldBe(10);
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

    [Fact]
    public void Open_VerifyMd5_FlagsOnlyTheDamagedBody()
    {
        string Md5(string text) => Convert.ToHexStringLower(MD5.HashData(Encoding.UTF8.GetBytes(text)));
        ReceiveBatch batch = Open(
            ReceiveResponses.Of(ReceiveResponses.Message(@"h\u00e9", "1", Md5("hé")), ReceiveResponses.Message("damaged", "2", Md5("sent")), ReceiveResponses.Message("no sum", "3")),
            verifyMd5: true);

        batch[0].Flags.ShouldBe(SqsMessageFlags.None);
        batch[1].Flags.ShouldBe(SqsMessageFlags.Md5Mismatch);
        batch[2].Flags.ShouldBe(SqsMessageFlags.None);
        batch.ReleaseAll();
    }

    private static string Text(ReadOnlyMemory<byte> bytes) => Encoding.UTF8.GetString(bytes.Span);

    private ReceiveBatch Open(string json, int max = 10, bool verifyMd5 = false) => Open(ReceiveResponses.Utf8(json), max, verifyMd5);

    private ReceiveBatch Open(byte[] json, int max = 10, bool verifyMd5 = false)
    {
        PooledBuffer response = _buffers.Rent(json.Length);
        response.Append(json);
        ReceiveBatch batch = new(_batches);
        try
        {
            batch.Open(response, max, verifyMd5, took: TimeSpan.Zero);
            return batch;
        }
        catch
        {
            response.Dispose();
            throw;
        }
    }
}
