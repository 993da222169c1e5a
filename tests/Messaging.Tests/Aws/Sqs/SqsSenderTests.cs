using System.Text.Json;
using Messaging.Tests.Sources;
using Quayside.Messaging.Aws.Sqs;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Publishing;

namespace Messaging.Tests.Aws.Sqs;

public sealed class SqsSenderTests
{
    [Fact]
    public async Task Send_Batch_IsOneCallWithTheBodies()
    {
        await using FakeQueue queue = await FakeQueue.StartAsync();
        using IMessageSender sender = await OpenAsync(queue);

        string?[] errors = await sender.SendAsync(Messages(10), CancellationToken.None);

        errors.ShouldBe(new string?[10]);
        QueueCall call = queue.Calls.Single(call => call.Operation == "SendMessageBatch");
        call.Text("QueueUrl").ShouldEndWith("/orders");
        Entries(call)
            .Select(entry => entry.GetProperty("MessageBody").GetString())
            .ShouldBe([.. Enumerable.Range(0, 10).Select(number => $"{{\"n\":{number}}}")]);
        Entries(call).ShouldAllBe(entry => !HasGroup(entry), "Fair queues have groups only where they are given.");
    }

    [Fact]
    public async Task Send_Fifo_HasGroupAndDeduplicationId()
    {
        await using FakeQueue queue = await FakeQueue.StartAsync();
        using IMessageSender sender = await OpenAsync(queue, "orders.fifo");
        OutgoingMessage[] messages = Messages(10);

        await sender.SendAsync(messages, CancellationToken.None);

        JsonElement[] entries = Entries(queue.Calls.Single(call => call.Operation == "SendMessageBatch"));
        entries.Select(entry => entry.GetProperty("MessageDeduplicationId").GetString()).ShouldBe(messages.Select(message => message.Id));
        entries.ShouldAllBe(entry => HasGroup(entry));
    }

    [Theory]
    [InlineData("orders")]
    [InlineData("orders.fifo")]
    public async Task Send_Groups_AreThoseOfTheMessages(string name)
    {
        await using FakeQueue queue = await FakeQueue.StartAsync();
        using IMessageSender sender = await OpenAsync(queue, name);
        sender.SendsGroups.ShouldBeTrue();

        await sender.SendAsync([.. Messages(4).Select((message, number) => message with { Group = $"tenant-{number % 2}" })], CancellationToken.None);

        JsonElement[] entries = Entries(queue.Calls.Single(call => call.Operation == "SendMessageBatch"));
        entries.Select(entry => entry.GetProperty("MessageGroupId").GetString()).ShouldBe(["tenant-0", "tenant-1", "tenant-0", "tenant-1"]);
        entries.Count(entry => entry.TryGetProperty("MessageDeduplicationId", out _)).ShouldBe(name.EndsWith(".fifo", StringComparison.Ordinal) ? 4 : 0);
    }

    [Fact]
    public async Task Send_AttributesAndDeduplicationId_AreThoseOfTheMessage()
    {
        await using FakeQueue queue = await FakeQueue.StartAsync();
        using IMessageSender sender = await OpenAsync(queue, "orders.fifo");
        sender.SendsDeduplicationIds.ShouldBeTrue();

        await sender.SendAsync(
            [.. Messages(1).Select(message => message with { DeduplicationId = "d-1", Attributes = [new("tenant", "acme")] })], CancellationToken.None);

        JsonElement entry = Entries(queue.Calls.Single(call => call.Operation == "SendMessageBatch")).Single();
        entry.GetProperty("MessageDeduplicationId").GetString().ShouldBe("d-1");
        entry.GetProperty("MessageAttributes").GetRawText().ShouldBe("""{"tenant":{"DataType":"String","StringValue":"acme"}}""");
    }

    [Theory]
    [InlineData("tenant", "a", null)]
    [InlineData("a..b", "a", "single dots inside")]
    [InlineData("a b", "a", "A-Z a-z 0-9")]
    [InlineData("aws.x", "a", "begin with AWS.")]
    [InlineData("tenant", "", "no empty values")]
    public async Task CheckAttribute_WhatSqsRefuses_IsSaidBefore(string name, string value, string? problem)
    {
        await using FakeQueue queue = await FakeQueue.StartAsync();
        using IMessageSender sender = await OpenAsync(queue);
        sender.SendsDeduplicationIds.ShouldBeFalse("A standard queue recognises nothing.");

        if (problem is null)
        {
            sender.CheckAttribute(name, value).ShouldBeNull();
        }
        else
        {
            sender.CheckAttribute(name, value).ShouldNotBeNull().ShouldContain(problem);
        }
    }

    [Fact]
    public async Task Send_SomeAreRefused_NamesThem()
    {
        await using FakeQueue queue = await FakeQueue.StartAsync();
        queue.Script = call => call.Operation == "SendMessageBatch"
            ? new QueueAnswer(
                200, """{"Successful":[{"Id":"0","MessageId":"m"}],"Failed":[{"Id":"1","Code":"InvalidMessageContents","Message":"no","SenderFault":true}]}""")
            : null;
        using IMessageSender sender = await OpenAsync(queue);

        string?[] errors = await sender.SendAsync(Messages(3), CancellationToken.None);

        errors[0].ShouldBeNull();
        errors[1].ShouldNotBeNull().ShouldContain("InvalidMessageContents");
        errors[2].ShouldNotBeNull("What the answer does not mention may or may not have been sent.");
    }

    [Fact]
    public async Task Send_BodiesOverTheLimitOfACall_AreSentInSeveralCalls()
    {
        const int BodyBytes = 200_000;
        await using FakeQueue queue = await FakeQueue.StartAsync();
        using IMessageSender sender = await OpenAsync(queue);
        OutgoingMessage[] messages = [
            .. Enumerable
                .Range(0, 10)
                .Select(number => new OutgoingMessage($"id-{number}", System.Text.Encoding.UTF8.GetBytes(new string((char)('a' + number), BodyBytes))))];

        string?[] errors = await sender.SendAsync(messages, CancellationToken.None);

        errors.ShouldBe(new string?[10]);
        QueueCall[] calls = [.. queue.Calls.Where(call => call.Operation == "SendMessageBatch")];
        calls.Select(call => Entries(call).Length).ShouldBe([5, 5], ignoreOrder: false, "Five bodies are 1,000,000 bytes; six would exceed 1 MiB.");
        string.Concat(calls.SelectMany(call => Entries(call)).Select(entry => entry.GetProperty("MessageBody").GetString()![0])).ShouldBe("abcdefghij");
    }

    [Fact]
    public async Task Send_CallFails_FailsForAll()
    {
        await using FakeQueue queue = await FakeQueue.StartAsync();
        queue.Script = call => call.Operation == "SendMessageBatch" ? QueueAnswer.InternalError : null;
        using IMessageSender sender = await OpenAsync(queue);

        (await sender.SendAsync(Messages(3), CancellationToken.None)).ShouldAllBe(error => error != null);
    }

    [Fact]
    public async Task Create_QueueIsMissing_SaysWhatToDo()
    {
        await using FakeQueue queue = await FakeQueue.StartAsync();
        queue.Missing["orders"] = true;

        StartupException missing = await Should.ThrowAsync<StartupException>(OpenAsync(queue));

        missing.ExitCode.ShouldBe(ExitCodes.Unavailable);
        missing.Message.ShouldContain("Check the queue's name");
    }

    [Fact]
    public async Task Create_NoQueueConfigured_IsAConfigurationError()
    {
        await using FakeQueue queue = await FakeQueue.StartAsync();

        await Should.ThrowAsync<ConfigurationException>(OpenAsync(queue, name: string.Empty));
    }

    private static Task<IMessageSender> OpenAsync(FakeQueue queue, string name = "orders") =>
        Senders.OpenAsync(new SqsSourceFeature(), SqsSettings.For(queue, name));

    private static OutgoingMessage[] Messages(int count) =>
        [.. Enumerable.Range(0, count).Select(number => new OutgoingMessage($"id-{number}", System.Text.Encoding.UTF8.GetBytes($"{{\"n\":{number}}}")))];

    private static JsonElement[] Entries(QueueCall call) => [.. call.Json.GetProperty("Entries").EnumerateArray()];

    private static bool HasGroup(JsonElement entry) =>
        entry.TryGetProperty("MessageGroupId", out JsonElement group) && group.GetString()!.StartsWith("group-", StringComparison.Ordinal);
}
