using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Aws.Sqs;

/// <summary>Which attributes a dead letter in SQS has when not all fit.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class DeadLetterAttributesTests
{
    private const int DeadLetterFailed = 3210;
    private const int DeadLetterWithoutAttributes = 3215;
    private const int MessageBytes = 1_048_576;

    // The MaximumMessageSize of many queues: the default until August 2025.
    private const int QueueBytes = 262_144;

    private static readonly Settlement Poison = Settlement.DeadLetter("malformed-json", "The JSON ends too early.", "System.Text.Json.JsonException");

    [Fact]
    public async Task DeadLetter_TenAttributes_KeepsEightAndNamesAllInTheDetails()
    {
        await using SqsRun run = SqsRun.Create();
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a") with { Attributes = DeadLetterTests.Texts(10) });
        await deliveries[0].SettleAsync(Poison);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "Not deleted.");

        QueueCall sent = run.Queue.Sends.ShouldHaveSingleItem();
        sent.Json.GetProperty("MessageAttributes").EnumerateObject().Count().ShouldBe(10);
        sent.Attribute("name7").ShouldBe("value7");
        sent.Attribute("name8").ShouldBeNull();
        JsonElement all = JsonDocument.Parse(sent.Attribute("DeadLetterDetails")!).RootElement.GetProperty("attributes");
        all.GetProperty("name9").GetString().ShouldBe("value9");
        await run.EndAsync();
    }

    [Fact]
    public async Task DeadLetter_TenAttributes_KeepsThoseThatAreNoTexts()
    {
        await using SqsRun run = SqsRun.Create();
        JsonObject attributes = DeadLetterTests.Texts(8);
        attributes["size"] = new JsonObject { ["DataType"] = "Number", ["StringValue"] = "12" };
        attributes["raw"] = new JsonObject { ["DataType"] = "Binary", ["BinaryValue"] = "AAH/" };
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a") with { Attributes = attributes });
        await deliveries[0].SettleAsync(Poison);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "Not deleted.");

        QueueCall sent = run.Queue.Sends.ShouldHaveSingleItem();
        JsonElement kept = sent.Json.GetProperty("MessageAttributes");
        kept.EnumerateObject().Select(attribute => attribute.Name).ShouldBe(
            ["size", "raw", "name0", "name1", "name2", "name3", "name4", "name5", "DeadLetterReason", "DeadLetterDetails"], ignoreOrder: true);
        kept.GetProperty("size").GetProperty("DataType").GetString().ShouldBe("Number");
        kept.GetProperty("raw").GetProperty("BinaryValue").GetString().ShouldBe("AAH/");
        JsonDocument.Parse(sent.Attribute("DeadLetterDetails")!).RootElement.GetProperty("attributes").GetProperty("name7").GetString().ShouldBe("value7");
        await run.EndAsync();
    }

    [Fact]
    public async Task DeadLetter_RedrivenMessage_HasOnlyTheNewReason()
    {
        await using SqsRun run = SqsRun.Create();
        JsonObject attributes = new()
        {
            ["DeadLetterReason"] = new JsonObject { ["DataType"] = "String", ["StringValue"] = "old" },
            ["DeadLetterDetails"] = new JsonObject { ["DataType"] = "String", ["StringValue"] = "{}" },
            ["kept"] = new JsonObject { ["DataType"] = "String", ["StringValue"] = "yes" },
        };
        Delivery[] deliveries = await run.BeginWithAsync(FakeMessage.New("a") with { Attributes = attributes });
        await deliveries[0].SettleAsync(Poison);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "Not deleted.");

        QueueCall sent = run.Queue.Sends.ShouldHaveSingleItem();
        sent.Attribute("DeadLetterReason").ShouldBe("malformed-json");
        sent.Attribute("kept").ShouldBe("yes");
        sent.Json.GetProperty("MessageAttributes").EnumerateObject().Count().ShouldBe(3);
        await run.EndAsync();
    }

    [Theory]
    [InlineData(MessageBytes - 2_000, true, true)]
    [InlineData(MessageBytes - 100, true, false)]
    [InlineData(MessageBytes, false, false)]
    public async Task DeadLetter_MessageNearTheServicesLimit_IsSentWithTheAttributesThatFit(int bodyBytes, bool hasReason, bool hasDetails)
    {
        await using SqsRun run = SqsRun.Create();
        FakeMessage message = FakeMessage.New("a") with { Body = new string('x', bodyBytes) };
        Delivery[] deliveries = await run.BeginWithAsync(message);
        await deliveries[0].SettleAsync(Poison);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "Not deleted.");

        QueueCall sent = run.Queue.Sends.ShouldHaveSingleItem();
        sent.Text("MessageBody").ShouldBe(message.Body);
        (sent.Attribute("DeadLetterReason") is not null).ShouldBe(hasReason);
        (sent.Attribute("DeadLetterDetails") is not null).ShouldBe(hasDetails);
        SizeOf(sent).ShouldBeLessThanOrEqualTo(MessageBytes);
        await run.EndAsync();
    }

    // The attribute "trace" counts 100 bytes, the reason 36, the details some hundreds.
    [Theory]
    [InlineData(QueueBytes - 150, true, true)]
    [InlineData(QueueBytes - 110, true, false)]
    [InlineData(QueueBytes - 50, false, true)]
    [InlineData(QueueBytes, false, false)]
    public async Task DeadLetter_QueueAllowsLessThanTheService_IsSentWithTheAttributesThatItAccepts(int bodyBytes, bool hasTrace, bool hasReason)
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == "SendMessage" && SizeOf(call) > QueueBytes ? QueueAnswer.Error(400, "InvalidParameterValue") : null;
        FakeMessage message = FakeMessage.New("a") with
        {
            Body = new string('x', bodyBytes),
            Attributes = new JsonObject { ["trace"] = new JsonObject { ["DataType"] = "String", ["StringValue"] = new string('t', 89) } },
        };
        Delivery[] deliveries = await run.BeginWithAsync(message);

        await deliveries[0].SettleAsync(Poison);
        await SqsRun.WaitAsync(() => run.Queue.Deletes.Count == 1, "Not deleted.");

        QueueCall sent = run.Queue.Sends[^1];
        SizeOf(sent).ShouldBeLessThanOrEqualTo(QueueBytes);
        sent.Text("MessageBody").ShouldBe(message.Body);
        (sent.Attribute("trace") is not null).ShouldBe(hasTrace);
        (sent.Attribute("DeadLetterReason") is not null).ShouldBe(hasReason);
        sent.Attribute("DeadLetterDetails").ShouldBeNull();
        run.HasLogged(DeadLetterWithoutAttributes).ShouldBe(!hasTrace);
        run.HasLogged(DeadLetterFailed).ShouldBeFalse();
        await run.EndAsync();
    }

    // Counted as for the SQS quota: body, and name, type and value of each attribute.
    internal static int SizeOf(QueueCall sent)
    {
        int size = Encoding.UTF8.GetByteCount(sent.Text("MessageBody"));
        if (sent.Json.TryGetProperty("MessageAttributes", out JsonElement attributes))
        {
            size += attributes.EnumerateObject().Sum(attribute =>
                attribute.Name.Length + attribute.Value.EnumerateObject().Sum(part => Encoding.UTF8.GetByteCount(part.Value.GetString()!)));
        }

        return size;
    }
}
