using Messaging.Costs;

namespace Messaging.Aws.Sqs.Wire;

/// <summary>One action of the SQS API.</summary>
/// <param name="Name">As in the API reference.</param>
/// <param name="Billed">As it is counted.</param>
internal sealed record SqsOperation(string Name, ApiOperation Billed)
{
    public static readonly SqsOperation ReceiveMessage = new("ReceiveMessage", ApiOperation.SqsReceiveMessage);
    public static readonly SqsOperation DeleteMessageBatch = new("DeleteMessageBatch", ApiOperation.SqsDeleteMessageBatch);
    public static readonly SqsOperation ChangeMessageVisibilityBatch = new("ChangeMessageVisibilityBatch", ApiOperation.SqsChangeMessageVisibilityBatch);
    public static readonly SqsOperation SendMessage = new("SendMessage", ApiOperation.SqsSendMessage);
    public static readonly SqsOperation SendMessageBatch = new("SendMessageBatch", ApiOperation.SqsSendMessageBatch);
    public static readonly SqsOperation GetQueueUrl = new("GetQueueUrl", ApiOperation.SqsGetQueueUrl);
    public static readonly SqsOperation GetQueueAttributes = new("GetQueueAttributes", ApiOperation.SqsGetQueueAttributes);

    /// <summary>The value of <c>X-Amz-Target</c>.</summary>
    public string Target { get; } = $"AmazonSQS.{Name}";
}
