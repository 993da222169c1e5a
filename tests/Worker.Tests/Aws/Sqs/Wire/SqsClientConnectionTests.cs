using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Pipeline.Buffers;

namespace Worker.Tests.Aws.Sqs.Wire;

/// <summary>The connections of the client that a source uses, over a server.</summary>
public sealed class SqsClientConnectionTests
{
    private const int Receives = 150;

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task Delete_ManyReceivesWait_DoesNotWaitBehindThem()
    {
        await using FakeQueue queue = await FakeQueue.StartAsync();
        queue.Script = call => call.Operation == "ReceiveMessage" ? QueueAnswer.Hang : null;
        AwsOptions aws = new() { Endpoint = queue.Address, Region = "eu-west-1", AccessKeyId = "AKIDTEST", SecretAccessKey = "secret" };
        using CancellationTokenSource end = new();
        using SqsClient client = SqsClient.Create(aws, SqsQueueReference.Parse("orders")!, new SqsWireOptions { ReceiveGrace = TimeSpan.FromHours(1) }, BufferPool.Shared, TimeProvider.System);
        Task[] receives = [.. Enumerable.Range(0, Receives).Select(_ => client.ReceiveAsync(WireClient.Url, waitSeconds: 20, visibilitySeconds: 30, ReceivedMessages.Clean(10), end.Token).AsTask())];
        for (long started = TimeProvider.System.GetTimestamp(); queue.Receives.Count < Receives;)
        {
            TimeProvider.System.GetElapsedTime(started).ShouldBeLessThan(Limit, "Receives wait for connections.");
            await Task.Delay(20, TestContext.Current.CancellationToken);
        }

        ReadOnlyMemory<byte>[] handles = ["handle"u8.ToArray()];
        await client.DeleteBatchAsync(WireClient.Url, handles, new BatchEntryResult[1], end.Token).AsTask().WaitAsync(Limit, TestContext.Current.CancellationToken);

        queue.Deletes.Count.ShouldBe(1);
        await end.CancelAsync();
        await Task.WhenAll(receives).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }
}
