using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Costs;

namespace Worker.Tests.Aws;

/// <summary>The cost of S3 and SQS calls by the section <c>Costs</c>.</summary>
public sealed class AwsPricesTests
{
    private static readonly AwsCostOptions ListPrices = new();

    [Theory]
    [InlineData(false, 5.08)]
    [InlineData(true, 5.10)]
    public void Cost_AMillionMessagesInFullBatches_IsTheListPrice(bool fifo, double usd)
    {
        ApiCalls calls = Priced(fifo);
        for (int i = 0; i < 1_000_000; i++)
        {
            calls.Sending(S3Calls.Put);
            if (i % 10 == 0)
            {
                calls.Sending(SqsOperation.ReceiveMessage.Billed);
                calls.Sending(SqsOperation.DeleteMessageBatch.Billed);
            }
        }

        calls.Cost().ShouldBe(usd, 1e-9);
    }

    [Fact]
    public void Cost_EachOperation_IsThatOfItsClass()
    {
        ApiCalls calls = Priced(fifo: false);
        ApiOperation[] operations =
        [
            S3Calls.Put, S3Calls.Head, S3Calls.Get, S3Calls.List,
            SqsOperation.ReceiveMessage.Billed, SqsOperation.DeleteMessageBatch.Billed, SqsOperation.ChangeMessageVisibilityBatch.Billed, SqsOperation.SendMessage.Billed,
            SqsOperation.SendMessageBatch.Billed, SqsOperation.GetQueueUrl.Billed, SqsOperation.GetQueueAttributes.Billed,
        ];
        foreach (ApiOperation operation in operations)
        {
            calls.Sending(operation);
        }

        operations.Select(operation => Math.Round(calls.Cost(operation) * 1_000_000, 6)).ShouldBe([5, 0.4, 0.4, 5, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4]);

        // The order of all reports since the first version.
        calls.Operations.ShouldBe(operations);
        operations.Where(operation => operation.IsLookup).Select(operation => operation.ToString()).ShouldBe(["S3 ListObjectsV2", "SQS GetQueueUrl", "SQS GetQueueAttributes"]);
    }

    private static ApiCalls Priced(bool fifo)
    {
        ApiCalls calls = new();
        S3Calls.SetPrices(calls, ListPrices);
        SqsOperation.SetPrices(calls, ListPrices.SqsPerMillion(fifo));
        return calls;
    }
}
