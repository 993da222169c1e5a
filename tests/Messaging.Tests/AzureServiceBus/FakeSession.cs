using Azure.Messaging.ServiceBus;

namespace Messaging.Tests.AzureServiceBus;

/// <summary>A session whose messages take a while to arrive. A receive that ends earlier loses none, but they are released when the session closes.</summary>
/// <param name="time">The clock.</param>
/// <param name="arrival">How long a message takes to arrive after a receive has begun.</param>
/// <param name="messages">How many messages it has.</param>
internal sealed class FakeSession(TimeProvider time, TimeSpan arrival, int messages) : ServiceBusSessionReceiver
{
    private int _left = messages;

    /// <summary>The limits of the receives.</summary>
    public List<TimeSpan> Waits { get; } = [];

    public bool IsOpen { get; private set; } = true;

    public override DateTimeOffset SessionLockedUntil => time.GetUtcNow() + TimeSpan.FromMinutes(1);

    public override async Task<ServiceBusReceivedMessage> ReceiveMessageAsync(TimeSpan? maxWaitTime = null, CancellationToken cancellationToken = default)
    {
        Waits.Add(maxWaitTime!.Value);
        if (_left == 0 || arrival > maxWaitTime)
        {
            await Task.Delay(maxWaitTime.Value, time, cancellationToken);
            return null!;
        }

        await Task.Delay(arrival, time, cancellationToken);
        _left--;
        return ServiceBusModelFactory.ServiceBusReceivedMessage(sessionId: "s");
    }

    public override Task CloseAsync(CancellationToken cancellationToken = default)
    {
        IsOpen = false;
        return Task.CompletedTask;
    }
}
