using Messaging.Aws.Sqs.Wire;
using Pipeline.Buffers;
using Tests.Shared;

namespace Worker.Tests.Aws.Sqs.Wire;

public sealed class ReceiveBatchTests
{
    private readonly BufferPool _buffers = new();
    private readonly BoundedPool<ReceiveBatch> _batches = new(4);

    [Fact]
    public void Release_LastMessage_ReturnsTheBuffer()
    {
        ReceiveBatch batch = Open(new ReceiveBatch(_batches), 3);

        SqsMessage[] messages = [batch[2], batch[0], batch[1]];
        messages[0].Release().ShouldBeTrue();
        messages[1].Release().ShouldBeTrue();
        _buffers.Outstanding.ShouldBe(1);
        messages[2].Release().ShouldBeTrue();

        _buffers.Outstanding.ShouldBe(0);
        batch.Count.ShouldBe(0);
        _batches.TryTake(out ReceiveBatch? pooled).ShouldBeTrue();
        pooled.ShouldBeSameAs(batch);
    }

    [Fact]
    public void Release_Twice_CountsOnce()
    {
        ReceiveBatch batch = Open(new ReceiveBatch(_batches), 2);
        SqsMessage first = batch[0];
        SqsMessage second = batch[1];

        first.Release().ShouldBeTrue();
        first.Release().ShouldBeFalse();
        _buffers.Outstanding.ShouldBe(1);
        second.Release().ShouldBeTrue();
        second.Release().ShouldBeFalse();

        _buffers.Outstanding.ShouldBe(0);
    }

    [Fact]
    public void Release_OfAnEarlierUse_DoesNotTouchTheNext()
    {
        ReceiveBatch batch = Open(new ReceiveBatch(_batches), 1);
        SqsMessage stale = batch[0];
        stale.Release();
        _batches.TryTake(out ReceiveBatch? again).ShouldBeTrue();
        Open(again, 1);

        stale.Release().ShouldBeFalse();

        _buffers.Outstanding.ShouldBe(1);
        again.Count.ShouldBe(1);
        again[0].Release().ShouldBeTrue();
        _buffers.Outstanding.ShouldBe(0);
    }

    [Fact]
    public void ReleaseAll_AfterSome_ReleasesTheRest()
    {
        ReceiveBatch batch = Open(new ReceiveBatch(_batches), 10);
        batch[4].Release();

        batch.ReleaseAll();

        _buffers.Outstanding.ShouldBe(0);
        default(SqsMessage).Release().ShouldBeFalse();
        ReceiveBatch.Empty.ReleaseAll();
    }

    [Fact]
    public void Open_AgainAfterUse_LeavesNothingOfTheOldMessages()
    {
        ReceiveBatch batch = Open(new ReceiveBatch(_batches), 5);
        batch.ReleaseAll();
        Open(batch, 1, "{\"Messages\":[{\"Body\":\"b\",\"MessageId\":\"i\",\"ReceiptHandle\":\"h\"}]}");

        batch.Count.ShouldBe(1);
        batch[0].GroupId.IsEmpty.ShouldBeTrue();
        batch[0].Attributes.IsEmpty.ShouldBeTrue();
        Should.Throw<IndexOutOfRangeException>(() => batch[1].Body);
        batch.ReleaseAll();
    }

    [Fact]
    public async Task Release_FromManyThreads_ReturnsTheBufferOnce()
    {
        for (int round = 0; round < 200; round++)
        {
            ReceiveBatch batch = Open(_batches.TryTake(out ReceiveBatch? pooled) ? pooled : new ReceiveBatch(_batches), 10);
            SqsMessage[] messages = [.. Enumerable.Range(0, 10).Select(i => batch[i])];
            int released = 0;

            await Parallel.ForAsync(0, 20, (i, _) =>
            {
                Interlocked.Add(ref released, messages[i % 10].Release() ? 1 : 0);
                return ValueTask.CompletedTask;
            });

            released.ShouldBe(10);
            _buffers.Outstanding.ShouldBe(0);
        }
    }

    [Fact]
    public void OpenAndRelease_InSteadyState_AllocatesNothing()
    {
        byte[] response = ReceiveResponses.Utf8(ReceiveResponses.Of([.. Enumerable.Range(0, 10).Select(i => ReceiveResponses.Message(@"{\""k\"":\""v\u00e9\""}", $"{i}"))]));
        ReceiveBatch batch = new(pool: null);
        void Cycle()
        {
            PooledBuffer buffer = _buffers.Rent(response.Length);
            buffer.Append(response);
            batch.Open(buffer, 10, verifyMd5: false, took: TimeSpan.Zero);
            batch.ReleaseAll();
        }

        for (int i = 0; i < 50; i++)
        {
            Cycle();
        }

        MinBytes.OfThread(Cycle).ShouldBe(0);
    }

    private ReceiveBatch Open(ReceiveBatch batch, int count, string? json = null)
    {
        json ??= ReceiveResponses.Of([.. Enumerable.Range(0, count).Select(i => ReceiveResponses.Message("b", $"{i}"))]);
        byte[] bytes = ReceiveResponses.Utf8(json);
        PooledBuffer response = _buffers.Rent(bytes.Length);
        response.Append(bytes);
        batch.Open(response, 10, verifyMd5: false, took: TimeSpan.Zero);
        return batch;
    }
}
