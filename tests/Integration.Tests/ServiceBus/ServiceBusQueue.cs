using Integration.Tests.Servers;
using Integration.Tests.Worker;
using Messaging.Publishing;
using Messaging.AzureServiceBus;
using Messaging.AzureServiceBus.Port;

namespace Integration.Tests.ServiceBus;

/// <summary>
/// The queue <c>tests</c> of the broker that <c>SERVICEBUS_CONNECTION_STRING</c> names; deploy/servicebus/Config.json declares it for the emulator.
/// It is shared, so each test empties it first, and the tests run one after another.
/// </summary>
internal sealed class ServiceBusQueue
{
    private const string Variable = "SERVICEBUS_CONNECTION_STRING";
    private const string Name = "tests";

    private readonly ServiceBusSourceOptions _options;

    private ServiceBusQueue(string connection)
    {
        _options = new ServiceBusSourceOptions { ConnectionString = connection, Queue = Name };
        Arguments = ["--Routes:archive:Source=ServiceBus", $"--Sources:ServiceBus:Queue={Name}"];
        Environment = [KeyValuePair.Create("Sources__ServiceBus__ConnectionString", connection)];
    }

    /// <summary>The worker's command line for this queue.</summary>
    public IReadOnlyList<string> Arguments { get; }

    /// <summary>The worker's environment for this queue: a secret does not belong on a command line.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Environment { get; }

    /// <summary>Skips the calling test, or fails it under <c>REQUIRE_SERVERS=1</c>, when there is no broker.</summary>
    public static string RequireConnection()
    {
        if (System.Environment.GetEnvironmentVariable(Variable) is not { Length: > 0 } connection)
        {
            RequiredServers.Missing($"No Service Bus: set {Variable}; docs/guides/service-bus.md says how to start the emulator.");
            return string.Empty;
        }

        return connection;
    }

    /// <summary>The queue, empty.</summary>
    public static async Task<ServiceBusQueue> CreateAsync()
    {
        ServiceBusQueue queue = new(RequireConnection());
        await queue.EmptyAsync();
        return queue;
    }

    public async Task SendAsync(IEnumerable<ArchiveMessage> messages)
    {
        await using IServiceBusSender sender = new AzureServiceBusConnector().OpenSender(_options);
        foreach (ArchiveMessage[] chunk in messages.Chunk(50))
        {
            using IOutgoingBatch batch = await sender.CreateBatchAsync(CancellationToken.None);
            chunk.ShouldAllBe(message => batch.TryAdd(message.Id, message.Body));
            await sender.SendAsync(batch, CancellationToken.None);
        }
    }

    /// <summary>Completes all messages, up to one that it sends last.</summary>
    private async Task EmptyAsync()
    {
        string last = GeneratedMessages.NewId(TimeProvider.System);
        await SendAsync([new ArchiveMessage(last, "{}")]);
        await using IServiceBusPump pump = new AzureServiceBusConnector().OpenPump(_options, new PumpSettings(1, 0, TimeSpan.FromMinutes(5), AutoComplete: true));
        UntilHandler handler = new(last);
        await pump.StartAsync(handler, CancellationToken.None);
        await handler.Seen.WaitAsync(TimeSpan.FromMinutes(2));
        await pump.StopAsync(CancellationToken.None);
    }
}
