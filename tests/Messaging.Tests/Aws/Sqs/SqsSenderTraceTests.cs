using System.Diagnostics;
using System.Text.Json;
using Messaging.Tests.Sources;
using Messaging.Tests.Telemetry;
using Quayside.Messaging.Aws.Sqs;
using Quayside.Messaging.Publishing;

namespace Messaging.Tests.Aws.Sqs;

/// <summary>Trace contexts into a queue. The sender makes its own client, so the queue is a server.</summary>
[Collection(SpanCollection.Name)]
public sealed class SqsSenderTraceTests
{
    [Theory]
    [InlineData("orders")]
    [InlineData("orders.fifo")]
    public async Task Send_InASpan_MessagesCarryItsContext(string name)
    {
        await using FakeQueue queue = await FakeQueue.StartAsync();
        using IMessageSender sender = await Senders.OpenAsync(new SqsSourceFeature(), SqsSettings.For(queue, name));
        using Activity span = new Activity("order").SetIdFormat(ActivityIdFormat.W3C).Start();
        span.TraceStateString = "vendor=1";

        await sender.SendAsync([new OutgoingMessage("a", "{}"u8.ToArray()), new OutgoingMessage("b", "{}"u8.ToArray())], CancellationToken.None);

        JsonElement[] entries = [.. queue.Calls.Single(call => call.Operation == "SendMessageBatch").Json.GetProperty("Entries").EnumerateArray()];
        entries.Select(entry => entry.GetProperty("MessageAttributes").GetRawText()).ShouldAllBe(attributes =>
            attributes
                == $$$"""{"traceparent":{"DataType":"String","StringValue":"{{{span.Id}}}"},"tracestate":{"DataType":"String","StringValue":"vendor=1"}}""");
    }

    [Fact]
    public async Task Send_WithoutASpan_MessagesHaveNoAttributes()
    {
        await using FakeQueue queue = await FakeQueue.StartAsync();
        using IMessageSender sender = await Senders.OpenAsync(new SqsSourceFeature(), SqsSettings.For(queue, "orders"));

        await sender.SendAsync([new OutgoingMessage("a", "{}"u8.ToArray())], CancellationToken.None);

        queue.Calls.Single(call => call.Operation == "SendMessageBatch").Json.GetProperty("Entries")[0]
            .TryGetProperty("MessageAttributes", out _)
            .ShouldBeFalse();
    }
}
