using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws.Sqs.Wire;

/// <summary>One operation of the SQS API.</summary>
internal sealed class SqsOperation
{
    public static readonly SqsOperation ReceiveMessage = new("ReceiveMessage");
    public static readonly SqsOperation DeleteMessageBatch = new("DeleteMessageBatch");
    public static readonly SqsOperation ChangeMessageVisibilityBatch = new("ChangeMessageVisibilityBatch");
    public static readonly SqsOperation SendMessage = new("SendMessage");
    public static readonly SqsOperation SendMessageBatch = new("SendMessageBatch");
    public static readonly SqsOperation GetQueueUrl = new("GetQueueUrl", isLookup: true);
    public static readonly SqsOperation GetQueueAttributes = new("GetQueueAttributes", isLookup: true);

    private SqsOperation(string name, bool isLookup = false)
    {
        Counted = new ApiOperation("SQS", name) { IsLookup = isLookup };
        Target = $"AmazonSQS.{name}";
    }

    /// <summary>The name in the API reference.</summary>
    public string Name => Counted.Name;

    /// <summary>The operation as its calls are counted.</summary>
    public ApiOperation Counted { get; }

    /// <summary>The value of <c>X-Amz-Target</c>.</summary>
    public string Target { get; }
}
