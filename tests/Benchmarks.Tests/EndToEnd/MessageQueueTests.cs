using System.IO.Compression;
using Benchmarks.EndToEnd.Server;

namespace Benchmarks.Tests.EndToEnd;

/// <summary>The server follows the rules of SQS; otherwise the benchmark would favour clients that break them.</summary>
public sealed class MessageQueueTests
{
    private readonly MessageQueue _queue = new("q");
    private readonly int[] _received = new int[10];

    public MessageQueueTests()
    {
        _queue.Fill(generation: 1, count: 3);
    }

    [Fact]
    public void Stored_OtherBytesOrAfterTheDelete_IsAnError()
    {
        _queue.Receive(_received, visibilitySeconds: 60);
        _queue.Stored(0, MessageBody.Md5(1, 0));
        _queue.Stored(1, MessageBody.Md5(1, 0));
        _queue.Delete(1, 2, receiveCount: 1);
        _queue.Stored(2, MessageBody.Md5(1, 2));

        QueueTotals totals = _queue.Totals();
        totals.Stored.ShouldBe(1);
        totals.Wrong.ShouldBe(2);
    }

    [Fact]
    public void Delivered_InAnEnvelope_HoldsTheBody()
    {
        byte[] body = new byte[MessageBody.Length];
        byte[] escaped = new byte[MessageBody.MaxDelivered];
        for (int index = 0; index < 20; index++)
        {
            MessageBody.Write(body, 7, index);
            string sns = Delivered(MessageEnvelope.Sns, escaped, index);
            string gzip = Delivered(MessageEnvelope.Gzip, escaped, index);

            System.Text.Json.JsonDocument.Parse(sns).RootElement.GetProperty("Message").GetString().ShouldBe(System.Text.Encoding.UTF8.GetString(body));
            using GZipStream content = new(new MemoryStream(Convert.FromBase64String(gzip)), CompressionMode.Decompress);
            using MemoryStream read = new();
            content.CopyTo(read);
            read.ToArray().ShouldBe(body);
        }
    }

    private static string Delivered(MessageEnvelope envelope, byte[] to, int index)
    {
        int length = MessageBody.WriteDelivered(to, envelope, 7, index);
        string delivered = System.Text.Json.JsonSerializer.Deserialize<string>([(byte)'"', .. to[..length], (byte)'"'])!;
        MessageBody.DeliveredMd5(envelope, 7, index).ShouldBe(MessageBody.Md5(System.Text.Encoding.UTF8.GetBytes(delivered)));
        return delivered;
    }
}
