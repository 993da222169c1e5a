using System.Net;
using Azure.Messaging.ServiceBus;
using Integration.Tests.Faults;
using Integration.Tests.Servers;
using Integration.Tests.Worker;

namespace Integration.Tests.AzureServiceBus;

/// <summary>
/// A network that drops every packet of an idle worker's connection and closes none: the official client ends its calls by itself, without an error for
/// minutes.
/// </summary>
[Trait("Category", "Long")]
public sealed class ServiceBusSilenceTests
{
    // The client of the worker may be in a call that ends only after a minute.
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(2);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Network_DropsEverything_TheWorkerIsNotReadyAndThenReceives(bool sessions)
    {
        await using ServiceBusEmulator emulator = await ServiceBusEmulator.RequireOwnAsync();
        await using ServiceBusQueue queue = await ServiceBusQueue.CreateAsync(emulator, new { RequiresSession = sessions });
        await using TcpFaultProxy proxy = new(new Uri($"http://127.0.0.1:{emulator.Port}"));
        await using DirectoryUnderTest sink = new();
        await using RunningWorker worker = await RunningWorker.StartAsync(
            [.. queue.Arguments, .. sink.Arguments, $"--Sources:ServiceBus:Sessions={sessions}"],
            ServiceBusQueue.ToEnvironment(ServiceBusEmulator.OverPort(queue.ConnectionString, proxy.Url.Port)));
        await worker.WaitForHealthAsync(HttpStatusCode.OK, timeout: Limit);

        proxy.Set(new TcpFault.Hang());
        await worker.WaitForHealthAsync(HttpStatusCode.ServiceUnavailable, timeout: Limit);
        proxy.Clear();
        await queue.SendAsync(new ServiceBusMessage("{\"MessageId\":\"after\"}") { MessageId = "after", SessionId = sessions ? "a" : null });
        await worker.WaitForHealthAsync(HttpStatusCode.OK, timeout: Limit);
        await queue.WaitUntilEmptyAsync();

        (await worker.StopAsync()).ShouldBe(0);
        (await sink.ReadAllAsync()).ShouldHaveSingleItem();
    }
}
