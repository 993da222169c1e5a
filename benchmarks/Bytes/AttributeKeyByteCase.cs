using System.Text;
using Benchmarks.Keys;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Pipeline.Buffers;

namespace Benchmarks.Bytes;

/// <summary>A message of SQS to a key of its attribute, its group and its time, which are not in its body: each is a string.</summary>
internal sealed record AttributeKeyByteCase : ByteCase
{
    private const string Template = "{@attribute.tenant}/{@group}/{@enqueued:yyyy/MM/dd}/{MessageId}.json";
    private const string Key = "acme/eu/2026/11/27/0f8fad5b-d9cb-469f-a165-70867728950e.json";

    public override string Name => "MessageToKey/FullAttributes/300/1";

    public override Action Prepare()
    {
        PooledBuffer response = BufferPool.Shared.Rent();
        response.Append(Encoding.UTF8.GetBytes(
            """{"Messages":[{"MessageId":"i","ReceiptHandle":"h","Body":"{}","Attributes":{"SentTimestamp":"1795773600000","MessageGroupId":"eu"},"MessageAttributes":{"tenant":{"DataType":"String","StringValue":"acme"}}}]}"""));
        SqsReceivedMessage message = new(owner: null);
        new ReceiveBatch(pool: null).Open(response, [message]);
        byte[] body = KeyInput.Bytes();
        WorkerKey key = new(BodyValidation.Full, Template);
        KeyInput.Require(Name, key.Text(body, message), Key);
        return () => key.Length(body, message);
    }
}
