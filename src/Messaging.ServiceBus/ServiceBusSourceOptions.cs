using System.Net;
using Messaging.Configuration;
using Messaging.Sources;
using Pipeline.Messages;

namespace Messaging.ServiceBus;

/// <summary>Section <c>Sources:ServiceBus</c>: what an <see cref="Port.IServiceBusConnector"/> opens, and how the source uses it. Read and checked by every build.</summary>
public sealed class ServiceBusSourceOptions : ISelfValidating
{
    /// <summary>The section's name.</summary>
    public const string Section = "Sources:ServiceBus";

    /// <summary>The service renews a lock without end; half a day outlasts an outage at night.</summary>
    internal static readonly TimeSpan LongestHold = TimeSpan.FromHours(12);

    [Setting("Connection string of the namespace or of the entity; this or FullyQualifiedNamespace", Secret = true)]
    public string? ConnectionString { get; init; }

    [Setting("Host of the namespace, such as orders.servicebus.windows.net; credentials come from Azure.Identity's DefaultAzureCredential (environment, workload or managed identity, Azure CLI)")]
    public string? FullyQualifiedNamespace { get; init; }

    [Setting("The queue; this or Topic with Subscription")]
    public string? Queue { get; init; }

    [Setting("The topic; publish sends to it")]
    public string? Topic { get; init; }

    [Setting("The topic's subscription to receive from")]
    public string? Subscription { get; init; }

    [Setting("AmqpTcp (port 5671) or AmqpWebSockets (port 443)")]
    public ServiceBusTransport Transport { get; init; }

    [Setting("Messages handed out by the client at once; without it Intake:Concurrency, which it must not exceed", Min = "1", Max = "10000", Consequence = "A message handed out without a slot would wait with its lock running.")]
    public int? MaxConcurrentCalls { get; init; }

    [Setting("Messages the client fetches ahead; at most the calls at once. Their locks run unrenewed, also while receiving pauses (docs/explanation/settlement.md)", Min = "0", Max = "10000", Consequence = "Messages whose lock ends before they are processed are redelivered with a higher delivery count.")]
    public int PrefetchCount { get; init; }

    [Setting("Time for which a message is held while the sink fails, its lock renewed; then it is abandoned. From half of MaxDeliveryCount on it is held for 12h instead", Min = "1m", Max = "12h", Consequence = "A short time costs deliveries in an outage.")]
    public TimeSpan MaxLockRenewal { get; init; } = TimeSpan.FromMinutes(15);

    [Setting("The entity's own MaxDeliveryCount, which the right Listen cannot read: Service Bus dead-letters a message after so many deliveries", Min = "2", Max = "2000", Consequence = "A number above the entity's lets a long outage dead-letter messages.")]
    public int MaxDeliveryCount { get; init; } = 10;

    [Setting("Longest time an abandoned message is kept locked before it is returned, since the service has no delay of its own; longer delays are cut to it", Min = "0s", Max = "5m", Consequence = "Without a wait a failing message uses up the queue's MaxDeliveryCount within seconds; each one that waits takes up a call.")]
    public TimeSpan MaxAbandonDelay { get; init; } = TimeSpan.FromSeconds(30);

    [Setting("Finished messages remembered, so that a redelivery is completed and not stored again", Min = "0", Max = "10000000", Consequence = "A redelivered message that is forgotten is compared with its object instead, which costs a request.")]
    public int DoneIds { get; init; } = 10_000;

    [Setting("Allows the emulator, which speaks without TLS, on a host that is not this machine")]
    public bool AllowPlainAmqp { get; init; }

    /// <summary>How long messages are held while the sink fails.</summary>
    internal HoldRule HoldRule => new(MaxLockRenewal, LongestHold, MaxDeliveryCount);

    /// <summary>The queue or topic as spans name it.</summary>
    internal MessageDestination Destination => new(ServiceBusMessageSource.SourceName, Queue ?? Topic ?? string.Empty);

    /// <summary>What is received from, for people.</summary>
    public string Entity => Queue ?? $"{Topic}/{Subscription}";

    /// <inheritdoc/>
    public void Validate(SettingsCheck check)
    {
        ValidateNamespace(check);
        ValidateEntity(check);
        if (MaxConcurrentCalls is { } calls && PrefetchCount > calls)
        {
            check.Fail(nameof(PrefetchCount), $"must not exceed {nameof(MaxConcurrentCalls)}.", "What is fetched beyond the calls only waits with its lock running.", nameof(MaxConcurrentCalls));
        }

        if (MaxAbandonDelay > MaxLockRenewal)
        {
            check.Fail(nameof(MaxAbandonDelay), $"must not exceed {nameof(MaxLockRenewal)}.", "The lock would end while the message is kept.", nameof(MaxLockRenewal));
        }
    }

    private void ValidateNamespace(SettingsCheck check)
    {
        if (ConnectionString is null && FullyQualifiedNamespace is null)
        {
            check.Fail(nameof(FullyQualifiedNamespace), "must be set, or ConnectionString.", "There would be nothing to connect to.", nameof(ConnectionString));
        }
        else if (ConnectionString is not null && FullyQualifiedNamespace is not null)
        {
            check.Fail(nameof(FullyQualifiedNamespace), "must not be set together with ConnectionString.", "It would be unclear which credentials count.", nameof(ConnectionString));
        }

        if (FullyQualifiedNamespace is not null && Uri.CheckHostName(FullyQualifiedNamespace) != UriHostNameType.Dns)
        {
            check.Fail(nameof(FullyQualifiedNamespace), "must be a host name such as orders.servicebus.windows.net, without scheme or path.");
        }

        if (ConnectionString is null)
        {
            return;
        }

        if (ServiceBusConnectionString.Parse(ConnectionString, out string? problem) is not { } connection)
        {
            check.Fail(nameof(ConnectionString), problem!, "The client would refuse it.");
            return;
        }

        if (connection.EntityPath is { } path && !string.Equals(path, Queue ?? Topic, StringComparison.OrdinalIgnoreCase))
        {
            check.Fail(nameof(ConnectionString), "is for another entity (EntityPath) than Queue or Topic names.", "The client would refuse it.", nameof(Queue), nameof(Topic));
        }

        if (connection.IsEmulator && !AllowPlainAmqp && !IsThisMachine(connection.Host))
        {
            check.Fail(nameof(ConnectionString), "is for an emulator on another machine; that needs AllowPlainAmqp=true.", "Messages would travel in the open.", nameof(AllowPlainAmqp));
        }

        if (connection.IsEmulator && Transport == ServiceBusTransport.AmqpWebSockets)
        {
            check.Fail(nameof(Transport), "must be AmqpTcp with the emulator.", "The emulator does not speak WebSockets.", nameof(ConnectionString));
        }
    }

    private void ValidateEntity(SettingsCheck check)
    {
        if (Queue is null && Topic is null)
        {
            check.Fail(nameof(Queue), "must be set, or Topic with Subscription.", "There would be nothing to receive from.", nameof(Topic), nameof(Subscription));
        }
        else if (Queue is not null && (Topic ?? Subscription) is not null)
        {
            check.Fail(nameof(Queue), "must not be set together with Topic or Subscription.", "It would be unclear where messages come from.", nameof(Topic), nameof(Subscription));
        }
        else if (Queue is null && Subscription is null)
        {
            check.Fail(nameof(Subscription), "must be set with Topic.", "A topic is received from through a subscription only.", nameof(Queue), nameof(Topic));
        }
    }

    private static bool IsThisMachine(string host) =>
        string.Equals(host, "localhost", StringComparison.OrdinalIgnoreCase) || (IPAddress.TryParse(host, out IPAddress? address) && IPAddress.IsLoopback(address));
}
