using Azure.Messaging.ServiceBus;

namespace Shared.ServiceBus;

/// <summary>The broker behind <see cref="FakeServiceBusClient"/>. Failures are exceptions of the real client. Threads: any.</summary>
internal interface IFakeBroker
{
    /// <summary>Waits for a message and locks it; null when the link is closed.</summary>
    Task<ServiceBusReceivedMessage?> ReceiveAsync(FakeReceiver link, CancellationToken cancellationToken);

    Task PeekAsync(CancellationToken cancellationToken);

    /// <summary>Renews a lock.</summary>
    /// <returns>Its new end.</returns>
    Task<DateTimeOffset> RenewAsync(Guid lockToken, CancellationToken cancellationToken);

    Task SettleAsync(Guid lockToken, FakeSettlement settlement, CancellationToken cancellationToken);

    /// <summary>Drains and closes a link: its waiting receives end, some with a message.</summary>
    Task CloseAsync(FakeReceiver link, CancellationToken cancellationToken);
}
