using System.Net;
using Azure.Messaging.ServiceBus;
using Integration.Tests.Faults.S3;
using Integration.Tests.Servers;
using Integration.Tests.Worker;

namespace Integration.Tests.AzureServiceBus;

/// <summary>Faults of the broker while a worker receives: nothing is lost, and receiving continues by itself.</summary>
public sealed class ServiceBusFaultTests
{
    // A message on its way when its link ends stays locked: it is redelivered when the lock ends, at whatever time that was. Every fault may
    // count a delivery, and no message may become a dead letter.
    private static readonly object ManyDeliveries = new { LockDuration = "PT10S", MaxDeliveryCount = 1_000 };

    private static readonly TimeSpan WaitLimit = TimeSpan.FromMinutes(4);

    [Fact]
    public Task Broker_Restarts_NothingIsLost() => RunAsync(async (emulator, _) =>
    {
        await emulator.DownAsync();
        await emulator.UpAsync();
    });

    [Fact]
    public Task Broker_CutsConnections_NothingIsLost() => RunAsync((emulator, _) => emulator.CutAsync());

    [Fact]
    public Task Broker_DetachesLinks_NothingIsLost() => RunAsync((emulator, queue) => emulator.DetachAsync(queue.Name));

    [Fact]
    public Task Broker_SettlesSlowly_NothingIsLost() => RunAsync((emulator, _) => emulator.SetFaultsAsync(new { settlementDelay = 100 }));

    [Fact]
    public async Task Broker_RefusesForAWhile_TheWorkerIsNotReadyAndThenReceives()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, ManyDeliveries);
        await using DirectoryUnderTest sink = new();
        await using RunningWorker worker = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments], queue.Environment);
        await worker.WaitForHealthAsync(HttpStatusCode.OK, timeout: WaitLimit);

        await emulator.SetFaultsAsync(
            new { refused = new Dictionary<string, string>(StringComparer.Ordinal) { [queue.Name] = "com.microsoft:entity-disabled" } });
        await emulator.DetachAsync(queue.Name);
        await worker.WaitForHealthAsync(HttpStatusCode.ServiceUnavailable, timeout: WaitLimit);
        await emulator.SetFaultsAsync(new { refused = new Dictionary<string, string>(StringComparer.Ordinal) { [queue.Name] = "" } });
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("after", 20);
        await queue.SendAsync(messages);
        await worker.WaitForHealthAsync(HttpStatusCode.OK, timeout: WaitLimit);
        await queue.WaitUntilEmptyAsync();

        (await worker.StopAsync()).ShouldBe(0);
        await sink.ShouldHoldExactlyAsync(messages);
    }

    [Fact]
    public async Task Broker_EndsALockDuringTheWork_TheMessageIsStoredOnceAndCompleted()
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, ManyDeliveries);
        await using FaultyS3UnderTest sink = new(await FaultyS3.StartAsync());
        sink.Server.Script = FaultScript.Empty.OnEveryPut(S3Fault.InternalError);
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("lost-lock", 5);
        await queue.SendAsync(messages);

        await using RunningWorker worker = await RunningWorker.StartAsync(
            [.. queue.Arguments, .. sink.Arguments, "--Sinks:S3:MaxAttempts=1", "--Recoverability:BreakerOpen=100ms", "--Recoverability:BackoffCap=200ms"],
            queue.Environment);
        await Eventually.BecomesTrueAsync(
            async () => (int)(await emulator.DescribeAsync(queue.Name))["locked"]! == messages.Length, "every message is in flight", WaitLimit);
        await emulator.ExpireLocksAsync(queue.Name);
        sink.Server.Script = FaultScript.Empty;
        await Eventually.BecomesTrueAsync(async () => (await queue.PeekAsync(max: 1)).Count == 0, "every message is completed", WaitLimit);

        (await worker.StopAsync()).ShouldBe(0);
        await sink.ShouldHoldExactlyAsync(messages);
        (await queue.PeekAsync(SubQueue.DeadLetter)).ShouldBeEmpty();
    }

    /// <summary>Sends messages, causes the fault when some are stored, and sends more.</summary>
    private static async Task RunAsync(Func<ServiceBusEmulator, ServiceBusQueue, Task> fail)
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, ManyDeliveries);
        await using DirectoryUnderTest sink = new();
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("fault", 400);
        await queue.SendAsync(messages[..300]);

        await using RunningWorker worker = await RunningWorker.StartAsync([.. queue.Arguments, .. sink.Arguments, "--Intake:Concurrency=8"], queue.Environment);
        await Eventually.BecomesTrueAsync(async () => (await sink.ReadAllAsync()).Count >= 20, "20 objects are stored", WaitLimit);
        await fail(emulator, queue);
        await queue.SendAsync(messages[300..]);
        await Eventually.BecomesTrueAsync(async () => (await sink.ReadAllAsync()).Count == messages.Length, "every message is stored", WaitLimit);
        await Eventually.BecomesTrueAsync(async () => (await queue.PeekAsync(max: 1)).Count == 0, "every message is completed", WaitLimit);

        (await worker.StopAsync()).ShouldBe(0);
        await sink.ShouldHoldExactlyAsync(messages);
    }
}
