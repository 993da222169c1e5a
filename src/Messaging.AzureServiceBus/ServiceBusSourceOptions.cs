using Azure.Identity;
using Azure.Messaging.ServiceBus;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Intake;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>Section <c>Sources:ServiceBus</c>: the queue or subscription, and how the source receives from it.</summary>
internal sealed class ServiceBusSourceOptions : ISelfValidating
{
    /// <summary>The section's name.</summary>
    public const string Section = "Sources:ServiceBus";

    // "Service Bus quotas".
    private const int MaxPath = 260;
    private const int MaxSubscription = 50;

    /// <summary>The service renews a lock without limit; half a day outlasts an overnight outage.</summary>
    internal static readonly TimeSpan LongestHold = TimeSpan.FromHours(12);

    [Setting("Connection string of the namespace or of the entity; this or FullyQualifiedNamespace", Secret = true)]
    public string? ConnectionString { get; init; }

    [Setting(
        "Host of the namespace, such as orders.servicebus.windows.net; credentials come from Azure.Identity's DefaultAzureCredential (environment, "
            + "workload or managed identity, Azure CLI)")]
    public string? FullyQualifiedNamespace { get; init; }

    [Setting("The queue; this or Topic with Subscription")]
    public string? Queue { get; init; }

    [Setting("The topic; publish sends to it")]
    public string? Topic { get; init; }

    [Setting("The topic's subscription to receive from")]
    public string? Subscription { get; init; }

    [Setting("AmqpTcp (port 5671) or AmqpWebSockets (port 443)", Advanced = true)]
    public ServiceBusTransportType Transport { get; init; }

    [Setting(
        "Messages that the client delivers concurrently; default Intake:StartConcurrency; at most Intake:Concurrency", Min = "1", Max = "10000",
        Consequence = "A message received without a slot would wait while its lock runs out.", Advanced = true)]
    public int? MaxConcurrentCalls { get; init; }

    [Setting(
        "Messages the client fetches in advance; at most MaxConcurrentCalls, 0 with Sessions. Their locks are not renewed, "
            + "even while receiving pauses (docs/reference/service-bus.md)", Min = "0", Max = "10000",
            Consequence = "Messages whose lock ends before they are processed are redelivered with a higher delivery count.", Advanced = true)]
    public int PrefetchCount { get; init; }

    [Setting(
        "True for a queue or subscription that requires sessions: the messages of a session are processed one at a time, in their order, and up to "
            + "MaxConcurrentCalls sessions at the same time. publish then gives each message a session")]
    public bool Sessions { get; init; }

    [Setting(
        "How long a message is held, with its lock renewed, while the sink fails; then it is abandoned. Once it has used half of MaxDeliveryCount, it is held "
            + "for 12h instead", Min = "1m", Max = "12h",
            Consequence = "A short time uses up deliveries in an outage.", Advanced = true)]
    public TimeSpan MaxLockRenewal { get; init; } = TimeSpan.FromMinutes(15);

    [Setting(
        "The entity's MaxDeliveryCount, which the right Listen cannot read: Service Bus dead-letters a message after this many deliveries", Min = "2",
        Max = "2000", Consequence = "A number above the entity's lets a long outage dead-letter messages.")]
    public int MaxDeliveryCount { get; init; } = 10;

    /// <summary>Completed messages to remember, so that a redelivery is completed and not stored again; tests remember fewer.</summary>
    public int DoneIds { get; init; } = 10_000;

    [Setting("Allows the emulator, which has no TLS, on another machine", Advanced = true)]
    public bool AllowPlainAmqp { get; init; }

    /// <summary>How long messages are held while the sink fails.</summary>
    internal HoldRule HoldRule => new(MaxLockRenewal, LongestHold, MaxDeliveryCount);

    /// <summary>The queue or topic, for spans.</summary>
    internal MessageDestination Destination => new(ServiceBusMessageSource.SourceName, Queue ?? Topic ?? string.Empty);

    /// <summary>The queue, or the topic and subscription, as shown to people.</summary>
    public string Entity => Queue ?? $"{Topic}/{Subscription}";

    /// <summary>Messages that the client delivers concurrently. Each is under a lock, so by default no more than are in flight at first.</summary>
    internal int ConcurrentCalls(IntakeOptions intake) => MaxConcurrentCalls ?? Math.Min(intake.StartConcurrency, intake.Concurrency);

    /// <summary>Creates a client for the namespace; it connects when it is first used. The caller disposes it.</summary>
    /// <param name="retries">How the client retries; null for its defaults.</param>
    /// <exception cref="StartupException">The client refuses the configuration.</exception>
    public ServiceBusClient CreateClient(ServiceBusRetryOptions? retries = null)
    {
        ServiceBusClientOptions settings = new() { TransportType = Transport, RetryOptions = retries ?? new ServiceBusRetryOptions() };
        try
        {
            return ConnectionString is { } connectionString
                ? new ServiceBusClient(connectionString, settings)
                : new ServiceBusClient(FullyQualifiedNamespace, new DefaultAzureCredential(), settings);
        }
        catch (Exception exception)
        {
            string key = ConnectionString is null ? nameof(FullyQualifiedNamespace) : nameof(ConnectionString);
            throw new StartupException(
                $"Service Bus {Entity}: the client refuses the configuration; check {Section}:{key}: {ServiceBusFault.TextOf(exception)}",
                ExitCodes.Configuration, exception);
        }
    }

    /// <inheritdoc/>
    public void Validate(SettingsCheck check)
    {
        ValidateNamespace(check);
        ValidateEntity(check);
        if (Sessions && PrefetchCount > 0)
        {
            check.Fail(
                nameof(PrefetchCount), $"must be 0 with {nameof(Sessions)}.", "A message that was fetched in advance would overtake one that is redelivered.",
                nameof(Sessions));
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
            check.Fail(
                nameof(FullyQualifiedNamespace), "must not be set together with ConnectionString.", "It would be unclear which credentials apply.",
                nameof(ConnectionString));
        }

        if (FullyQualifiedNamespace is not null && Uri.CheckHostName(FullyQualifiedNamespace) != UriHostNameType.Dns)
        {
            check.Fail(
                nameof(FullyQualifiedNamespace),
                "must be a hostname such as orders.servicebus.windows.net, without scheme or path; a connection string belongs in ConnectionString.");
        }

        if (ConnectionString is null)
        {
            return;
        }

        if (Parse(ConnectionString) is not { } connection)
        {
            check.Fail(
                nameof(ConnectionString),
                "must name the namespace, Endpoint=sb://NAMESPACE.servicebus.windows.net/, and have SharedAccessKeyName and SharedAccessKey, or "
                    + "SharedAccessSignature, in parts Name=value with semicolons between them; for an identity without a key, "
                    + "set FullyQualifiedNamespace instead.",
                "The client would refuse it.");
            return;
        }

        // The client's properties do not have it.
        bool isEmulator = ConnectionString.Replace(" ", string.Empty, StringComparison.Ordinal)
            .Contains("UseDevelopmentEmulator=true", StringComparison.OrdinalIgnoreCase);

        // Without both, what is wrong is that Queue is missing.
        if (connection.EntityPath is { } path && (Queue ?? Topic) is not null && !string.Equals(path, Queue ?? Topic, StringComparison.OrdinalIgnoreCase))
        {
            check.Fail(
                nameof(ConnectionString), "must not have an EntityPath other than Queue or Topic.", "The client would refuse it.", nameof(Queue),
                nameof(Topic));
        }

        if (isEmulator && !AllowPlainAmqp && !connection.Endpoint.IsLoopback)
        {
            check.Fail(
                nameof(ConnectionString), "must not name an emulator on another machine, unless AllowPlainAmqp is true.", "Messages would travel unencrypted.",
                nameof(AllowPlainAmqp));
        }

        if (isEmulator && Transport == ServiceBusTransportType.AmqpWebSockets)
        {
            check.Fail(nameof(Transport), "must be AmqpTcp with the emulator.", "The emulator does not support WebSockets.", nameof(ConnectionString));
        }
    }

    private void ValidateEntity(SettingsCheck check)
    {
        ValidateName(check, nameof(Queue), Queue, isPath: true, MaxPath);
        ValidateName(check, nameof(Topic), Topic, isPath: true, MaxPath);
        ValidateName(check, nameof(Subscription), Subscription, isPath: false, MaxSubscription);
        if (Queue is null && Topic is null)
        {
            check.Fail(
                nameof(Queue), "must be set, or Topic with Subscription.", "There would be nothing to receive from.", nameof(Topic), nameof(Subscription));
        }
        else if (Queue is not null && (Topic ?? Subscription) is not null)
        {
            check.Fail(
                nameof(Queue), "must not be set together with Topic or Subscription.", "It would be unclear where messages come from.", nameof(Topic),
                nameof(Subscription));
        }
    }

    private static void ValidateName(SettingsCheck check, string property, string? name, bool isPath, int maxLength)
    {
        if (name is not null && !IsName(name, isPath, maxLength))
        {
            check.Fail(
                property,
                $"must be a name of up to {maxLength} letters, digits, dots, dashes and underscores{(isPath ? ", with / between its levels" : string.Empty)}.",
                "Service Bus has no entity of another name; a connection string belongs in ConnectionString.");
        }
    }

    // "Naming rules and restrictions for Azure resources", Microsoft.ServiceBus; $ as in $DeadLetterQueue.
    private static bool IsName(string name, bool isPath, int maxLength) =>
        name.Length <= maxLength
        && (isPath || !name.Contains('/', StringComparison.Ordinal))
        && name.Split('/').All(level => level.Length > 0 && level.All(c => char.IsAsciiLetterOrDigit(c) || c is '.' or '-' or '_' or '~' or '$'));

    private static ServiceBusConnectionStringProperties? Parse(string connectionString)
    {
        try
        {
            ServiceBusConnectionStringProperties parts = ServiceBusConnectionStringProperties.Parse(connectionString);
            bool hasKey = !string.IsNullOrEmpty(parts.SharedAccessKeyName) && !string.IsNullOrEmpty(parts.SharedAccessKey);

            // The client takes an address of any scheme for one of sb.
            bool isOther = connectionString.Split(';', StringSplitOptions.TrimEntries).Any(static part =>
                part.StartsWith("Endpoint", StringComparison.OrdinalIgnoreCase) && part.Contains("://", StringComparison.Ordinal)
                && !part.Contains("sb://", StringComparison.OrdinalIgnoreCase) && !part.Contains("amqps://", StringComparison.OrdinalIgnoreCase));
            return parts.Endpoint is not null && !isOther && (hasKey || !string.IsNullOrEmpty(parts.SharedAccessSignature)) ? parts : null;
        }
        catch (Exception exception) when (exception is FormatException or ArgumentException)
        {
            return null;
        }
    }
}
