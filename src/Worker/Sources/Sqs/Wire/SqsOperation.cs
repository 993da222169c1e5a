namespace Worker.Sources.Sqs.Wire;

/// <summary>One action of the SQS API.</summary>
/// <param name="Name">As in the API reference.</param>
internal sealed record SqsOperation(string Name)
{
    public static readonly SqsOperation ReceiveMessage = new("ReceiveMessage");
    public static readonly SqsOperation DeleteMessageBatch = new("DeleteMessageBatch");
    public static readonly SqsOperation ChangeMessageVisibilityBatch = new("ChangeMessageVisibilityBatch");
    public static readonly SqsOperation SendMessage = new("SendMessage");
    public static readonly SqsOperation SendMessageBatch = new("SendMessageBatch");
    public static readonly SqsOperation GetQueueUrl = new("GetQueueUrl");
    public static readonly SqsOperation GetQueueAttributes = new("GetQueueAttributes");

    /// <summary>The value of <c>X-Amz-Target</c>.</summary>
    public string Target { get; } = $"AmazonSQS.{Name}";
}
