using Quayside.Messaging.Costs;

namespace Quayside.Messaging.Aws.Sqs.Wire;

/// <summary>One operation of the SQS API.</summary>
internal sealed class SqsOperation
{
    // "Every 64 KB chunk of a payload is billed as 1 request" (aws.amazon.com/sqs/pricing). Applied here to the JSON that was sent, which is
    // slightly longer than the payload in it.
    private const int BilledChunk = 64 * 1024;

    public static readonly SqsOperation ReceiveMessage = new("ReceiveMessage");
    public static readonly SqsOperation DeleteMessageBatch = new("DeleteMessageBatch");
    public static readonly SqsOperation ChangeMessageVisibilityBatch = new("ChangeMessageVisibilityBatch");
    public static readonly SqsOperation SendMessage = new("SendMessage");
    public static readonly SqsOperation SendMessageBatch = new("SendMessageBatch");
    public static readonly SqsOperation GetQueueUrl = new("GetQueueUrl", isLookup: true);
    public static readonly SqsOperation GetQueueAttributes = new("GetQueueAttributes", isLookup: true);

    private static readonly SqsOperation[] All =
        [ReceiveMessage, DeleteMessageBatch, ChangeMessageVisibilityBatch, SendMessage, SendMessageBatch, GetQueueUrl, GetQueueAttributes];

    private SqsOperation(string name, bool isLookup = false)
    {
        Billed = new ApiOperation("SQS", name) { IsLookup = isLookup, BilledBytes = BilledChunk };
        Target = $"AmazonSQS.{name}";
    }

    /// <summary>The name in the API reference.</summary>
    public string Name => Billed.Name;

    /// <summary>The operation as it is billed.</summary>
    public ApiOperation Billed { get; }

    /// <summary>The value of <c>X-Amz-Target</c>.</summary>
    public string Target { get; }

    /// <summary>Sets the price of a request on a route.</summary>
    public static void SetPrices(ApiCalls? calls, double usdPerMillion)
    {
        foreach (SqsOperation operation in All)
        {
            calls?.SetPrice(operation.Billed, usdPerMillion);
        }
    }
}
