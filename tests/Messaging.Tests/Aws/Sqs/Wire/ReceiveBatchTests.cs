using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Aws.Sqs.Wire;

public sealed class ReceiveBatchTests
{
    private readonly BufferPool _buffers = new();
    private readonly BoundedPool<ReceiveBatch> _batches = new(4);

    [Fact]
    public void ReleaseBody_LastMessage_ReturnsTheResponseAndTheBatch()
    {
        ReceiveBatch batch = new(_batches);
        SqsReceivedMessage[] messages = Open(batch, 3);

        messages[2].ReleaseBody();
        messages[0].ReleaseBody();
        _buffers.Outstanding.ShouldBe(1);
        messages[1].ReleaseBody();

        _buffers.Outstanding.ShouldBe(0);
        _batches.TryTake(out ReceiveBatch? pooled).ShouldBeTrue();
        pooled.ShouldBeSameAs(batch);
    }

    [Fact]
    public void ReleaseBody_Twice_CountsOnce()
    {
        SqsReceivedMessage[] messages = Open(new ReceiveBatch(_batches), 2);

        messages[0].ReleaseBody();
        messages[0].ReleaseBody();

        _buffers.Outstanding.ShouldBe(1);
        messages[1].ReleaseBody();
        _buffers.Outstanding.ShouldBe(0);
    }

    [Fact]
    public void ReleaseBody_OfAnEarlierUse_DoesNotTouchTheNext()
    {
        ReceiveBatch batch = new(_batches);
        SqsReceivedMessage stale = Open(batch, 1).Single();
        stale.ReleaseBody();
        SqsReceivedMessage[] next = Open(batch, 1);

        stale.ReleaseBody();

        _buffers.Outstanding.ShouldBe(1);
        next.ReleaseAll();
        _buffers.Outstanding.ShouldBe(0);
    }

    [Fact]
    public void ReleaseBody_Message_KeepsItsIdAndHandleOnly()
    {
        SqsReceivedMessage message = Open(new ReceiveBatch(_batches), 1).Single();

        message.ReleaseBody();

        message.SourceId.Span.SequenceEqual("0"u8).ShouldBeTrue();
        message.Handle.Span.SequenceEqual("handle/0=="u8).ShouldBeTrue();
        (message.Body.IsEmpty, message.GroupId.IsEmpty, message.TraceHeader.IsEmpty, message.MessageAttributes.IsEmpty).ShouldBe((true, true, true, true));
    }

    [Fact]
    public void Open_ResponseThatIsCut_LeavesTheMessagesClean()
    {
        SqsReceivedMessage[] messages = ReceivedMessages.Clean(10);
        PooledBuffer response = Rent(ReceiveResponses.Of(ReceiveResponses.Message("b"))[..^2]);

        Should.Throw<System.Text.Json.JsonException>(() => new ReceiveBatch(_batches).Open(response, messages));

        messages.ShouldAllBe(message => message.SourceId.IsEmpty && message.GroupId.IsEmpty && message.Body.IsEmpty && message.ReceiveCount == 0);
        messages.ReleaseAll();
        _buffers.Outstanding.ShouldBe(1, "The caller keeps the response.");
        response.Dispose();
    }

    [Fact]
    public void Open_EntryThatCannotBeUsed_LeavesNothingInTheNext()
    {
        SqsReceivedMessage[] messages = ReceivedMessages.Clean(10);
        string json = """{"Messages":[{"Body":"b","ReceiptHandle":"h","Attributes":{"MessageGroupId":"g","ApproximateReceiveCount":"7"},"MessageAttributes":{"a":{}}},{"Body":"b","MessageId":"i","ReceiptHandle":"h"}]}""";

        new ReceiveBatch(_batches).Open(Rent(json), messages).ShouldBe((1, 1));

        (messages[0].GroupId.IsEmpty, messages[0].ReceiveCount, messages[0].MessageAttributes.IsEmpty).ShouldBe((true, 0, true));
        messages.ReleaseAll();
        _buffers.Outstanding.ShouldBe(0);
    }

    [Fact]
    public async Task ReleaseBody_FromManyThreads_ReturnsTheResponseOnce()
    {
        for (int round = 0; round < 200; round++)
        {
            SqsReceivedMessage[] messages = Open(_batches.TryTake(out ReceiveBatch? pooled) ? pooled : new ReceiveBatch(_batches), 10);

            await Parallel.ForAsync(0, 10, (i, _) =>
            {
                messages[i].ReleaseBody();
                return ValueTask.CompletedTask;
            });

            _buffers.Outstanding.ShouldBe(0);
        }
    }

    private SqsReceivedMessage[] Open(ReceiveBatch batch, int count)
    {
        SqsReceivedMessage[] messages = ReceivedMessages.Clean(count);
        batch
            .Open(Rent(ReceiveResponses.Of([.. Enumerable.Range(0, count).Select(i => ReceiveResponses.Message("b", $"{i}"))])), messages)
            .ShouldBe((count, 0));
        return messages;
    }

    private PooledBuffer Rent(string json)
    {
        byte[] bytes = ReceiveResponses.Utf8(json);
        PooledBuffer response = _buffers.Rent(bytes.Length);
        response.Append(bytes);
        return response;
    }
}
