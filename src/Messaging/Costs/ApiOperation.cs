namespace Messaging.Costs;

/// <summary>The calls that AWS bills a worker for. Numbers are indexes of <see cref="ApiCalls"/>.</summary>
public enum ApiOperation
{
    S3PutObject = 0,
    S3HeadObject,
    S3GetObject,
    S3ListObjects,
    SqsReceiveMessage,
    SqsDeleteMessageBatch,
    SqsChangeMessageVisibilityBatch,
    SqsSendMessage,
    SqsSendMessageBatch,
    SqsGetQueueUrl,
    SqsGetQueueAttributes,
}
