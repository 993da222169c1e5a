using System.Buffers.Text;
using System.Net;
using System.Text;
using System.Text.Json.Nodes;

namespace Messaging.Tests.Aws.Sqs;

/// <summary>
/// A queue without a network that is never empty: every receive is answered immediately with ten new messages, every delete with
/// success. Allocates only the response objects. For one receive loop.
/// </summary>
internal sealed class PlentifulQueue : HttpMessageHandler
{
    private const string FirstId = "10000000-0000-4000-8000-000000000000";

    private static readonly byte[] Deleted =
        Encoding.UTF8.GetBytes($"{{\"Successful\":[{string.Join(',', Enumerable.Range(0, 10).Select(index => $"{{\"Id\":\"{index}\"}}"))}]}}");

    private static readonly byte[] Attributes =
        """{"Attributes":{"RedrivePolicy":"{\"deadLetterTargetArn\":\"arn:aws:sqs:eu-west-1:123456789012:dead\",\"maxReceiveCount\":10}"}}"""u8.ToArray();

    private static readonly byte[] DeadLetterUrl = """{"QueueUrl":"https://sqs.eu-west-1.amazonaws.com/123456789012/dead"}"""u8.ToArray();

    private readonly byte[] _received;
    private readonly int[] _idEnds;
    private long _ids;

    /// <param name="traced">Whether messages carry their senders' trace contexts.</param>
    public PlentifulQueue(bool traced)
    {
        _received = Encoding.UTF8.GetBytes($"{{\"Messages\":[{string.Join(',', Enumerable.Repeat(traced ? TracedMessage : Message, 10))}]}}");
        int message = (_received.Length - "{\"Messages\":[]}".Length + 1) / 10;
        int firstEnd = _received.AsSpan().IndexOf(Encoding.ASCII.GetBytes(FirstId)) + FirstId.Length;
        _idEnds = [.. Enumerable.Range(0, 10).Select(index => firstEnd + (index * message))];
    }

    private static FakeMessage Message => FakeMessage.New("x") with { Id = FirstId, Handle = new string('h', 400), Body = new string('b', 300) };

    private static FakeMessage TracedMessage => Message with
    {
        TraceHeader = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1",
        Attributes = new JsonObject
        { ["traceparent"] = new JsonObject { ["DataType"] = "String", ["StringValue"] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" } },
    };

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        await Task.Yield();
        cancellationToken.ThrowIfCancellationRequested();
        byte[] answer = request.Headers.NonValidated["X-Amz-Target"].ToString() switch
        {
            "AmazonSQS.ReceiveMessage" => NextMessages(),
            "AmazonSQS.DeleteMessageBatch" => Deleted,
            "AmazonSQS.GetQueueUrl" => DeadLetterUrl,
            _ => Attributes,
        };
        return new HttpResponseMessage(HttpStatusCode.OK) { Content = new ByteArrayContent(answer) };
    }

    private byte[] NextMessages()
    {
        foreach (int end in _idEnds)
        {
            Utf8Formatter.TryFormat(100_000_000_000 + _ids++, _received.AsSpan(end - 12, 12), out _);
        }

        return _received;
    }
}
