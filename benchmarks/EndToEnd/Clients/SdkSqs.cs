using Amazon.Runtime;
using Amazon.SQS;
using Amazon.SQS.Model;
using Benchmarks.Aws.Wire;
using static Benchmarks.EndToEnd.Clients.SqsShapes;

namespace Benchmarks.EndToEnd.Clients;

/// <summary>SQS by AWSSDK.SQS with its defaults, called as its documentation shows it.</summary>
internal sealed class SdkSqs(ClientSettings settings) : IQueueClient
{
    private readonly AmazonSQSClient _client = new(
        new BasicAWSCredentials(WireAccount.AccessKey, WireAccount.SecretKey),
        new AmazonSQSConfig { ServiceURL = settings.Endpoint.GetLeftPart(UriPartial.Authority), AuthenticationRegion = WireAccount.Region });

    private readonly string _queueUrl = new Uri(settings.Endpoint, $"/000000000000/{settings.Queue}").AbsoluteUri;

    public async Task<Received[]> ReceiveAsync()
    {
        ReceiveMessageResponse response = await _client.ReceiveMessageAsync(new ReceiveMessageRequest
        {
            QueueUrl = _queueUrl,
            MaxNumberOfMessages = settings.Batch,
            WaitTimeSeconds = ClientSettings.WaitSeconds,
            VisibilityTimeout = ClientSettings.VisibilitySeconds,
            MessageSystemAttributeNames = ["ApproximateReceiveCount"],
        });

        // The SDK has no list where the answer has no messages.
        return response.Messages is { } messages ? [.. messages.Select(message => new Received(message.MessageId, message.ReceiptHandle, message.Body))] : [];
    }

    public async Task DeleteAsync(Received[] messages)
    {
        DeleteMessageBatchResponse response = await _client.DeleteMessageBatchAsync(new DeleteMessageBatchRequest
        {
            QueueUrl = _queueUrl,
            Entries = [.. messages.Select((message, i) => new DeleteMessageBatchRequestEntry($"{i}", message.ReceiptHandle))],
        });
        if (response.Failed is { Count: > 0 } failed)
        {
            throw new InvalidOperationException($"{failed.Count} messages were not deleted: {failed[0].Code}.");
        }
    }
}
