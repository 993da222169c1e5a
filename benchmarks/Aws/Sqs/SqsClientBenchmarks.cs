using System.Text;
using Amazon.Runtime;
using Amazon.SQS;
using Amazon.SQS.Model;
using BenchmarkDotNet.Attributes;
using Benchmarks.Aws.Wire;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Pipeline.Buffers;

namespace Benchmarks.Aws.Sqs;

/// <summary>
/// The worker's SQS client beside AWSSDK.SQS: a receive and a delete of ten messages of 1 KiB through one canned handler, so that only the
/// clients differ. Figures are per message.
/// </summary>
public class SqsClientBenchmarks
{
    private const string Queue = "http://127.0.0.1/000000000000/orders";

    private readonly SqsClient _ours;
    private readonly AmazonSQSClient _sdk;
    private readonly ReadOnlyMemory<byte>[] _handles =
        [.. Enumerable.Range(0, CannedSqs.Messages).Select(i => (ReadOnlyMemory<byte>)Encoding.UTF8.GetBytes(CannedSqs.HandleOf(i)))];
    private readonly string[] _handleTexts = [.. Enumerable.Range(0, CannedSqs.Messages).Select(CannedSqs.HandleOf)];
    private readonly SqsReceivedMessage[] _messages = [.. Enumerable.Range(0, CannedSqs.Messages).Select(_ => new SqsReceivedMessage(owner: null))];
    private readonly BatchEntryResult[] _results = new BatchEntryResult[CannedSqs.Messages];

    public SqsClientBenchmarks()
    {
        BasicAWSCredentials credentials = new(WireAccount.AccessKey, WireAccount.SecretKey);
        Uri address = new("http://127.0.0.1");
        _ours = new SqsClient(
            new AwsEndpoint(address, WireAccount.Region, IsCustom: true),
            new AwsCredentialSource(() => Task.FromResult<AWSCredentials>(credentials), TimeProvider.System),
            new AwsClock(TimeProvider.System),
            new CannedSqs(),
            new BufferPool(),
            TimeProvider.System,
            new SqsWireOptions());
        _sdk = new AmazonSQSClient(credentials, new AmazonSQSConfig
        {
            ServiceURL = address.GetLeftPart(UriPartial.Authority),
            AuthenticationRegion = WireAccount.Region,
            HttpClientFactory = new CannedFactory(),
        });
    }

    [GlobalSetup]
    public async Task Setup()
    {
        int ours = await ReceiveOurs();
        int sdk = await ReceiveSdk();
        if (ours != CannedSqs.Messages * EndToEnd.Server.MessageBody.Length || sdk != ours)
        {
            throw new InvalidOperationException($"Received {ours} B with the worker's client and {sdk} characters with the SDK.");
        }

        if (await DeleteOurs() != CannedSqs.Messages || await DeleteSdk() != CannedSqs.Messages)
        {
            throw new InvalidOperationException("A client did not delete ten messages.");
        }
    }

    /// <summary>The bodies as the SDK's strings.</summary>
    /// <returns>Characters of the bodies.</returns>
    [Benchmark(Baseline = true, OperationsPerInvoke = CannedSqs.Messages)]
    public async Task<int> ReceiveSdk()
    {
        ReceiveMessageResponse response = await _sdk.ReceiveMessageAsync(new ReceiveMessageRequest
        {
            QueueUrl = Queue,
            MaxNumberOfMessages = CannedSqs.Messages,
            WaitTimeSeconds = 20,
            VisibilityTimeout = 60,
            MessageSystemAttributeNames = ["ApproximateReceiveCount", "SentTimestamp"],
        });
        return response.Messages.Sum(message => message.Body.Length);
    }

    /// <summary>The bodies as UTF-8 in a pooled buffer.</summary>
    /// <returns>Bytes of the bodies.</returns>
    [Benchmark(OperationsPerInvoke = CannedSqs.Messages)]
    public async Task<int> ReceiveOurs()
    {
        (int count, _, _) = await _ours.ReceiveAsync(Queue, 20, 60, _messages, CancellationToken.None);
        int bytes = 0;
        foreach (SqsReceivedMessage message in _messages.AsSpan(0, count))
        {
            bytes += message.Body.Length;
            message.ReleaseBody();
            message.Reset();
        }

        return bytes;
    }

    /// <returns>Messages deleted.</returns>
    [Benchmark(OperationsPerInvoke = CannedSqs.Messages)]
    public async Task<int> DeleteSdk()
    {
        DeleteMessageBatchResponse response = await _sdk.DeleteMessageBatchAsync(new DeleteMessageBatchRequest
        {
            QueueUrl = Queue,
            Entries = [.. _handleTexts.Select((handle, i) => new DeleteMessageBatchRequestEntry($"{i}", handle))],
        });
        return response.Successful.Count;
    }

    /// <returns>Messages deleted.</returns>
    [Benchmark(OperationsPerInvoke = CannedSqs.Messages)]
    public async Task<int> DeleteOurs()
    {
        await _ours.DeleteBatchAsync(Queue, _handles, _results, CancellationToken.None);
        int deleted = 0;
        foreach (BatchEntryResult result in _results)
        {
            deleted += result.Succeeded ? 1 : 0;
        }

        return deleted;
    }

    private sealed class CannedFactory : Amazon.Runtime.HttpClientFactory
    {
        public override HttpClient CreateHttpClient(IClientConfig clientConfig) => new(new CannedSqs());
    }
}
