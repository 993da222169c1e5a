using Azure.Messaging.ServiceBus;
using Integration.Tests.ServiceBus;
using Integration.Tests.Worker;

namespace Integration.Tests.Servers;

/// <summary>The emulator behaves to the official client as the service does, as far as the source depends on it.</summary>
public sealed class ServiceBusEmulatorTests
{
    // A lock that no test outlasts: where one is to end, the test ends it.
    private static readonly object Queue = new { LockDuration = "PT5M", MaxDeliveryCount = 3 };

    [Fact]
    public async Task Receive_AnyMessage_HasBodyAndPropertiesUnchanged()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, Queue);
        ServiceBusMessage sent = new(new byte[] { 0, 255, 1 }) { MessageId = "m", Subject = "s", ContentType = "application/json", CorrelationId = "c" };
        sent.ApplicationProperties["long"] = 5_000_000_000;
        sent.ApplicationProperties["text"] = "é漢";
        sent.ApplicationProperties["flag"] = true;
        sent.ApplicationProperties["at"] = new DateTime(2026, 1, 31, 10, 20, 30, DateTimeKind.Utc);
        sent.ApplicationProperties["id"] = new Guid("00112233-4455-6677-8899-aabbccddeeff");

        await queue.SendAsync(sent);
        ServiceBusReceivedMessage received = await queue.CreateReceiver().ReceiveMessageAsync();

        received.Body.ToArray().ShouldBe([0, 255, 1]);
        (received.MessageId, received.Subject, received.ContentType, received.CorrelationId).ShouldBe(("m", "s", "application/json", "c"));
        received.ApplicationProperties.ShouldBe(sent.ApplicationProperties, ignoreOrder: true);
        received.DeliveryCount.ShouldBe(1);
        received.SequenceNumber.ShouldBe(1);
        received.LockedUntil.ShouldBeGreaterThan(TimeProvider.System.GetUtcNow());
        received.EnqueuedTime.ShouldBeInRange(TimeProvider.System.GetUtcNow().AddMinutes(-5), TimeProvider.System.GetUtcNow());
    }

    [Fact]
    public async Task Receive_LockHasEnded_IsRedeliveredAndTheOldLockIsLost()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, new { LockDuration = "PT1S" });
        ServiceBusReceiver receiver = queue.CreateReceiver();
        await queue.SendAsync(new ServiceBusMessage("a"));

        ServiceBusReceivedMessage first = await receiver.ReceiveMessageAsync();
        ServiceBusReceivedMessage second = await receiver.ReceiveMessageAsync();

        (second.SequenceNumber, second.DeliveryCount).ShouldBe((first.SequenceNumber, 2));
        (await Should.ThrowAsync<ServiceBusException>(receiver.CompleteMessageAsync(first))).Reason.ShouldBe(ServiceBusFailureReason.MessageLockLost);
        (await Should.ThrowAsync<ServiceBusException>(receiver.RenewMessageLockAsync(first))).Reason.ShouldBe(ServiceBusFailureReason.MessageLockLost);
    }

    [Fact]
    public async Task Renew_Lock_Extends()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, Queue);
        ServiceBusReceiver receiver = queue.CreateReceiver();
        await queue.SendAsync(new ServiceBusMessage("a"));
        ServiceBusReceivedMessage message = await receiver.ReceiveMessageAsync();
        DateTimeOffset before = message.LockedUntil;

        await Eventually.BecomesTrueAsync(
            async () =>
            {
                await receiver.RenewMessageLockAsync(message);
                return message.LockedUntil > before;
            },
            "the lock ends later");
        await receiver.CompleteMessageAsync(message);

        (await queue.PeekAsync()).ShouldBeEmpty();
    }

    [Fact]
    public async Task Abandon_ToTheLimit_IsDeadLetteredWithItsProperties()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, Queue);
        ServiceBusReceiver receiver = queue.CreateReceiver();
        await queue.SendAsync(new ServiceBusMessage("a"));

        for (int delivery = 1; delivery <= 3; delivery++)
        {
            ServiceBusReceivedMessage message = await receiver.ReceiveMessageAsync();
            message.DeliveryCount.ShouldBe(delivery);
            await receiver.AbandonMessageAsync(message, new Dictionary<string, object> { ["attempt"] = delivery });
        }

        ServiceBusReceivedMessage letter = await queue.CreateReceiver(SubQueue.DeadLetter).ReceiveMessageAsync();
        letter.DeadLetterReason.ShouldBe("MaxDeliveryCountExceeded");
        letter.ApplicationProperties["attempt"].ShouldBe(3);
        letter.DeadLetterSource.ShouldBe(queue.Name);
        (await queue.PeekAsync()).ShouldBeEmpty();
    }

    [Fact]
    public async Task DeadLetter_WithReason_CanBeReceivedAndCompleted()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, Queue);
        ServiceBusReceiver receiver = queue.CreateReceiver();
        await queue.SendAsync(new ServiceBusMessage("a"));

        await receiver.DeadLetterMessageAsync(await receiver.ReceiveMessageAsync(), new Dictionary<string, object> { ["DeadLetterDetails"] = "{}" }, "bad", "It is bad.");

        ServiceBusReceiver letters = queue.CreateReceiver(SubQueue.DeadLetter);
        ServiceBusReceivedMessage letter = await letters.ReceiveMessageAsync();
        (letter.Body.ToString(), letter.DeadLetterReason, letter.DeadLetterErrorDescription).ShouldBe(("a", "bad", "It is bad."));
        letter.ApplicationProperties["DeadLetterDetails"].ShouldBe("{}");
        await letters.CompleteMessageAsync(letter);
        (await queue.PeekAsync(SubQueue.DeadLetter)).ShouldBeEmpty();
    }

    [Fact]
    public async Task Settle_LinkIsClosed_ByLockToken()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, Queue);
        await queue.SendAsync(new ServiceBusMessage("complete"), new ServiceBusMessage("abandon"), new ServiceBusMessage("dead-letter"));
        List<ServiceBusReceivedMessage> messages = [];
        await using (ServiceBusReceiver closed = queue.CreateReceiver())
        {
            while (messages.Count < 3)
            {
                messages.AddRange(await closed.ReceiveMessagesAsync(3 - messages.Count));
            }
        }

        ServiceBusReceiver other = queue.CreateReceiver();
        await other.RenewMessageLockAsync(messages[0]);
        await other.CompleteMessageAsync(messages[0]);
        await other.AbandonMessageAsync(messages[1]);
        await other.DeadLetterMessageAsync(messages[2], "bad");

        // Of a message that is peeked at, the client counts the deliveries so far.
        (await queue.PeekAsync()).ShouldHaveSingleItem().DeliveryCount.ShouldBe(1);
        (await queue.PeekAsync(SubQueue.DeadLetter)).ShouldHaveSingleItem().DeadLetterReason.ShouldBe("bad");
    }

    [Fact]
    public async Task Close_WhileWaiting_LeavesNoMessageLocked()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, Queue);
        ServiceBusReceiver receiver = queue.CreateReceiver();
        Task<ServiceBusReceivedMessage> waiting = receiver.ReceiveMessageAsync(TimeSpan.FromMinutes(5));
        await Eventually.BecomesTrueAsync(async () => (await emulator.DescribeAsync(queue.Name))["credit"]!.AsArray() is [{ } credit] && (int)credit == 1, "the receiver waits");

        await receiver.CloseAsync();
        await ((Task)waiting).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await queue.SendAsync(new ServiceBusMessage("a"));

        (await queue.CreateReceiver().ReceiveMessageAsync()).DeliveryCount.ShouldBe(1);
    }

    [Fact]
    public async Task Cut_Connections_FreesTheLinksAndKeepsTheLocks()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, Queue);
        await queue.SendAsync(new ServiceBusMessage("a"));
        await using ServiceBusClient client = new(emulator.ConnectionString, new ServiceBusClientOptions { RetryOptions = new() { MaxRetries = 0 } });
        ServiceBusReceivedMessage message = await client.CreateReceiver(queue.Name).ReceiveMessageAsync();
        Task<ServiceBusReceivedMessage> waiting = client.CreateReceiver(queue.Name).ReceiveMessageAsync(TimeSpan.FromMinutes(5));
        await Eventually.BecomesTrueAsync(async () => (await emulator.DescribeAsync(queue.Name))["credit"]!.AsArray().Count == 2, "both receivers have a link");

        await emulator.CutAsync();

        await Eventually.BecomesTrueAsync(async () => (await emulator.DescribeAsync(queue.Name))["credit"]!.AsArray().Count == 0, "the broker knows that the links are gone");
        await Should.ThrowAsync<ServiceBusException>(waiting);
        ((int)(await emulator.DescribeAsync(queue.Name))["locked"]!).ShouldBe(1);
        await queue.CreateReceiver().CompleteMessageAsync(message);
        (await queue.PeekAsync()).ShouldBeEmpty();
    }

    [Fact]
    public async Task Session_OneReceiverAtATime_GetsItsMessagesInOrder()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await emulator.DeclareAsync("orders", new { LockDuration = "PT5M", RequiresSession = true });
        await using ServiceBusClient client = new(emulator.ConnectionString, new ServiceBusClientOptions { RetryOptions = new() { MaxRetries = 0 } });
        await client.CreateSender("orders").SendMessagesAsync(
            [new ServiceBusMessage("a1") { SessionId = "a" }, new ServiceBusMessage("b1") { SessionId = "b" }, new ServiceBusMessage("a2") { SessionId = "a" }]);

        await using (ServiceBusSessionReceiver first = await client.AcceptNextSessionAsync("orders"))
        {
            first.SessionId.ShouldBe("a");
            first.SessionLockedUntil.ShouldBeGreaterThan(TimeProvider.System.GetUtcNow());
            (await first.ReceiveMessageAsync()).Body.ToString().ShouldBe("a1");
            (await Should.ThrowAsync<ServiceBusException>(client.AcceptSessionAsync("orders", "a"))).Reason.ShouldBe(ServiceBusFailureReason.SessionCannotBeLocked);
            await first.SetSessionStateAsync(new BinaryData("seen a1"));
            await first.RenewSessionLockAsync();
        }

        // What the first receiver did not settle is available again with its session.
        await using ServiceBusSessionReceiver second = await client.AcceptSessionAsync("orders", "a");
        (await second.GetSessionStateAsync()).ToString().ShouldBe("seen a1");
        foreach (string body in (string[])["a1", "a2"])
        {
            ServiceBusReceivedMessage message = await second.ReceiveMessageAsync();
            message.Body.ToString().ShouldBe(body);
            message.SessionId.ShouldBe("a");
            await second.CompleteMessageAsync(message);
        }

        await using ServiceBusSessionReceiver other = await client.AcceptNextSessionAsync("orders");
        (await other.ReceiveMessageAsync()).Body.ToString().ShouldBe("b1");
    }

    [Fact]
    public async Task Session_LockIsLost_TheReceiverIsTold()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await emulator.DeclareAsync("orders", new { LockDuration = "PT1S", RequiresSession = true });
        await using ServiceBusClient client = new(emulator.ConnectionString, new ServiceBusClientOptions { RetryOptions = new() { MaxRetries = 0 } });
        await client.CreateSender("orders").SendMessageAsync(new ServiceBusMessage("a1") { SessionId = "a" });

        ServiceBusSessionReceiver receiver = await client.AcceptNextSessionAsync("orders");

        await Eventually.BecomesTrueAsync(() => receiver.IsClosed, "the broker has closed the link");
        await using ServiceBusSessionReceiver next = await client.AcceptSessionAsync("orders", "a");
        next.SessionId.ShouldBe("a");
    }

    [Fact]
    public async Task Session_WrongUse_IsRefused()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await emulator.DeclareAsync("orders", new { RequiresSession = true });
        await emulator.DeclareAsync("plain", new { });
        await using ServiceBusClient client = new(emulator.ConnectionString, new ServiceBusClientOptions { RetryOptions = new() { MaxRetries = 0, TryTimeout = TimeSpan.FromSeconds(2) } });

        (await Should.ThrowAsync<InvalidOperationException>(client.CreateSender("orders").SendMessageAsync(new ServiceBusMessage("a")))).Message.ShouldContain("SessionId");
        (await Should.ThrowAsync<InvalidOperationException>(client.AcceptSessionAsync("plain", "a"))).Message.ShouldContain("does not require sessions");
        (await Should.ThrowAsync<ServiceBusException>(client.AcceptNextSessionAsync("orders"))).Reason.ShouldBe(ServiceBusFailureReason.ServiceTimeout);
    }

    [Fact]
    public async Task Send_TooLarge_IsRefused()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, Queue);
        await using ServiceBusClient client = new(emulator.ConnectionString);
        using ServiceBusMessageBatch batch = await client.CreateSender(queue.Name).CreateMessageBatchAsync();

        batch.MaxSizeInBytes.ShouldBe(256 * 1024);
        (await Should.ThrowAsync<ServiceBusException>(queue.SendAsync(new ServiceBusMessage(new byte[256 * 1024])))).Reason.ShouldBe(ServiceBusFailureReason.MessageSizeExceeded);
    }

    [Fact]
    public async Task Peek_MoreThanAMessageMayHave_ReturnsAll()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, Queue);
        for (int sent = 0; sent < 3; sent++)
        {
            await queue.SendAsync(new ServiceBusMessage(new byte[200 * 1024]));
        }

        (await queue.CreateReceiver().PeekMessagesAsync(10)).Count.ShouldBe(3);
    }

    [Fact]
    public async Task Topic_EachSubscription_GetsACopy()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await emulator.DeclareAsync("sold", new { Subscriptions = new[] { new { Name = "archive" }, new { Name = "audit" } } });
        await using ServiceBusClient client = new(emulator.ConnectionString);

        await client.CreateSender("sold").SendMessagesAsync([new ServiceBusMessage("a"), new ServiceBusMessage("b")]);

        foreach (string subscription in (string[])["archive", "audit"])
        {
            ServiceBusReceiver receiver = client.CreateReceiver("sold", subscription);
            ServiceBusReceivedMessage first = await receiver.ReceiveMessageAsync();
            first.Body.ToString().ShouldBe("a");
            await receiver.DeadLetterMessageAsync(first, "bad");
            (await receiver.ReceiveMessageAsync()).Body.ToString().ShouldBe("b");
            ServiceBusReceiver letters = client.CreateReceiver("sold", subscription, new ServiceBusReceiverOptions { SubQueue = SubQueue.DeadLetter });
            (await letters.ReceiveMessageAsync()).DeadLetterReason.ShouldBe("bad");
        }
    }

    [Fact]
    public async Task Refused_EachReason_HasTheServicesException()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await emulator.DeclareAsync("disabled", new { Status = "Disabled" });
        await emulator.DeclareAsync("sessions", new { RequiresSession = true });
        await emulator.DeclareAsync("plain", new { });
        ServiceBusClientOptions quick = new() { RetryOptions = new() { MaxRetries = 0 } };
        await using ServiceBusClient client = new(emulator.ConnectionString, quick);
        await using ServiceBusClient stranger = new(emulator.ConnectionString.Replace("SharedAccessKey=SAS", "SharedAccessKey=NOT", StringComparison.Ordinal), quick);

        (await FailureAsync(client, "missing")).Reason.ShouldBe(ServiceBusFailureReason.MessagingEntityNotFound);
        (await FailureAsync(client, "disabled")).Reason.ShouldBe(ServiceBusFailureReason.MessagingEntityDisabled);
        (await Should.ThrowAsync<InvalidOperationException>(client.CreateReceiver("sessions").ReceiveMessageAsync())).Message.ShouldContain("requires sessions");
        await Should.ThrowAsync<UnauthorizedAccessException>(stranger.CreateReceiver("plain").ReceiveMessageAsync());
        await Should.ThrowAsync<UnauthorizedAccessException>(stranger.CreateReceiver("plain").PeekMessageAsync());
        await emulator.SetFaultsAsync(new { refused = new { plain = "com.microsoft:server-busy" } });
        (await FailureAsync(client, "plain")).Reason.ShouldBe(ServiceBusFailureReason.ServiceBusy);
    }

    [Fact]
    public async Task Control_AnUnknownEntityOrFault_SaysWhatThereIs()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();

        (await Should.ThrowAsync<InvalidOperationException>(emulator.DescribeAsync("nothing"))).Message.ShouldContain("'nothing' could not be found");
        (await Should.ThrowAsync<InvalidOperationException>(emulator.SetFaultsAsync(new { slow = 1 }))).Message.ShouldContain("There is no fault slow");
        (await Should.ThrowAsync<InvalidOperationException>(emulator.DeclareAsync("q", new { LockDuration = "1 minute" }))).Message.ShouldContain("not a duration such as PT1M");
    }

    [Fact]
    public async Task Fault_SettlementIsIgnored_TheMessageStaysLocked()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, Queue);
        await using ServiceBusClient client = new(emulator.ConnectionString, new ServiceBusClientOptions { RetryOptions = new() { MaxRetries = 0, TryTimeout = TimeSpan.FromSeconds(2) } });
        ServiceBusReceiver receiver = client.CreateReceiver(queue.Name);
        await queue.SendAsync(new ServiceBusMessage("ignored"), new ServiceBusMessage("unanswered"));
        ServiceBusReceivedMessage ignored = await receiver.ReceiveMessageAsync(TimeSpan.FromMinutes(1));
        ServiceBusReceivedMessage unanswered = await receiver.ReceiveMessageAsync(TimeSpan.FromMinutes(1));

        await emulator.SetFaultsAsync(new { ignoredSettlements = 1 });
        (await Should.ThrowAsync<ServiceBusException>(receiver.CompleteMessageAsync(ignored))).Reason.ShouldBe(ServiceBusFailureReason.ServiceTimeout);
        await emulator.SetFaultsAsync(new { unansweredSettlements = 1 });
        (await Should.ThrowAsync<ServiceBusException>(receiver.CompleteMessageAsync(unanswered))).Reason.ShouldBe(ServiceBusFailureReason.ServiceTimeout);

        (await queue.PeekAsync()).ShouldHaveSingleItem().Body.ToString().ShouldBe("ignored");
    }

    [Fact]
    public async Task Fault_RenewalFails_TheLockIsLostAndTheMessageIsRedelivered()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, Queue);
        ServiceBusReceiver receiver = queue.CreateReceiver();
        await queue.SendAsync(new ServiceBusMessage("a"));
        ServiceBusReceivedMessage message = await receiver.ReceiveMessageAsync();

        await emulator.SetFaultsAsync(new { failedRenewals = 1 });

        (await Should.ThrowAsync<ServiceBusException>(receiver.RenewMessageLockAsync(message))).Reason.ShouldBe(ServiceBusFailureReason.MessageLockLost);
        (await receiver.ReceiveMessageAsync()).DeliveryCount.ShouldBe(2);
    }

    [Fact]
    public async Task Emulator_ItsParentIsGone_EndsByItself()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();

        emulator.Process.CloseInput();

        (await emulator.Process.WaitForExitAsync()).ShouldBe(0);
    }

    private static Task<ServiceBusException> FailureAsync(ServiceBusClient client, string queue) =>
        Should.ThrowAsync<ServiceBusException>(client.CreateReceiver(queue).ReceiveMessageAsync());
}
