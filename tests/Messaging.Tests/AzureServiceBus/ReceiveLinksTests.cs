using Azure.Messaging.ServiceBus;
using Quayside.Messaging.AzureServiceBus;

namespace Messaging.Tests.AzureServiceBus;

public sealed class ReceiveLinksTests
{
    [Fact]
    public async Task Close_ReceiveThatEndsWithTheClientsRetriesOnly_IsNotWaitedFor()
    {
        ManualTimeProvider time = new();
        DateTimeOffset start = time.GetUtcNow();
        ReceiveLinks links = new(1, [new Unreachable()], () => new Unreachable(), time);
        links.TryReceive(0, out Task<ServiceBusReceivedMessage?>? receiving).ShouldBeTrue();
        links.Stop();

        Task closing = links.CloseAsync(Task.CompletedTask);

        await time.PassUntilAsync(TimeSpan.FromSeconds(1), () => closing.IsCompleted);
        (time.GetUtcNow() - start).ShouldBeLessThan(TimeSpan.FromSeconds(8));
        receiving!.IsCompleted.ShouldBeFalse();
    }

    private sealed class Unreachable : ServiceBusReceiver
    {
        public override Task<ServiceBusReceivedMessage> ReceiveMessageAsync(TimeSpan? maxWaitTime = null, CancellationToken cancellationToken = default) =>
            new TaskCompletionSource<ServiceBusReceivedMessage>().Task;

        public override Task CloseAsync(CancellationToken cancellationToken = default) => Task.CompletedTask;
    }
}
