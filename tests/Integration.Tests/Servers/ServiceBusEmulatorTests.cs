using Azure.Messaging.ServiceBus;
using Integration.Tests.AzureServiceBus;

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
    public async Task Emulator_ItsParentIsGone_EndsByItself()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();

        emulator.Process.CloseInput();

        (await emulator.Process.WaitForExitAsync()).ShouldBe(0);
    }
}
