using Azure.Messaging.ServiceBus;
using Integration.Tests.Servers;
using Integration.Tests.Worker;

namespace Integration.Tests.AzureServiceBus;

/// <summary>A queue and its dead-letter queue, used through the official client: shares no code with the worker.</summary>
internal sealed class ServiceBusQueue : IAsyncDisposable
{
    // The client's own retries would hide a fault from a test for a minute.
    private static readonly ServiceBusClientOptions Options = new() { RetryOptions = new() { MaxRetries = 3, TryTimeout = TimeSpan.FromSeconds(20) } };

    private readonly ServiceBusClient _client;
    private readonly ServiceBusSender _sender;

    private readonly Action? _released;

    /// <param name="connectionString">Of its namespace.</param>
    /// <param name="name">Its name.</param>
    /// <param name="emulator">Null for another broker.</param>
    /// <param name="released">Called at the end, such as for a queue that another test waits for.</param>
    public ServiceBusQueue(string connectionString, string name, ServiceBusEmulator? emulator, Action? released = null)
    {
        _released = released;
        Name = name;
        ConnectionString = connectionString;
        Emulator = emulator;
        _client = new ServiceBusClient(connectionString, Options);
        _sender = _client.CreateSender(name);
    }

    public string Name { get; }

    public string ConnectionString { get; }

    /// <summary>Null for another broker.</summary>
    public ServiceBusEmulator? Emulator { get; }

    /// <summary>The worker's command line for this queue.</summary>
    public IReadOnlyList<string> Arguments => ["--Routes:archive:Source=ServiceBus", $"--Sources:ServiceBus:Queue={Name}"];

    /// <summary>The worker's environment for this queue: a secret does not belong on a command line.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Environment => ToEnvironment(ConnectionString);

    public static IReadOnlyList<KeyValuePair<string, string>> ToEnvironment(string connectionString) =>
        [KeyValuePair.Create("Sources__ServiceBus__ConnectionString", connectionString)];

    /// <summary>Declares a queue of its own.</summary>
    public static async Task<ServiceBusQueue> CreateAsync(ServiceBusEmulator emulator, object? properties = null)
    {
        string name = $"q-{Guid.NewGuid():n}";
        await emulator.DeclareAsync(name, properties ?? new { });
        return new ServiceBusQueue(emulator.ConnectionString, name, emulator);
    }

    public Task SendAsync(params ServiceBusMessage[] messages) => _sender.SendMessagesAsync(messages);

    public async Task SendAsync(IEnumerable<ArchiveMessage> messages)
    {
        foreach (ArchiveMessage[] chunk in messages.Chunk(50))
        {
            await SendAsync([.. chunk.Select(message => new ServiceBusMessage(message.Body) { MessageId = message.Id })]);
        }
    }

    /// <summary>A receiver in the mode PeekLock; the queue disposes it.</summary>
    public ServiceBusReceiver CreateReceiver(SubQueue subQueue = SubQueue.None) =>
        _client.CreateReceiver(Name, new ServiceBusReceiverOptions { SubQueue = subQueue });

    /// <summary>The first messages, whatever their state; none is changed.</summary>
    public async Task<IReadOnlyList<ServiceBusReceivedMessage>> PeekAsync(SubQueue subQueue = SubQueue.None, int max = 100)
    {
        await using ServiceBusReceiver receiver = CreateReceiver(subQueue);
        List<ServiceBusReceivedMessage> messages = [];
        while (messages.Count < max)
        {
            // The broker may give fewer than there are.
            long next = messages.Count == 0 ? 0 : messages[^1].SequenceNumber + 1;
            IReadOnlyList<ServiceBusReceivedMessage> more = await receiver.PeekMessagesAsync(max - messages.Count, next);
            if (more.Count == 0)
            {
                break;
            }

            messages.AddRange(more);
        }

        return messages;
    }

    /// <summary>Waits until no message is left, in whatever state.</summary>
    public async Task WaitUntilEmptyAsync()
    {
        try
        {
            await Eventually.BecomesTrueAsync(async () => (await PeekAsync(max: 1)).Count == 0, $"the queue {Name} is empty", TimeSpan.FromMinutes(2));
        }
        catch (TimeoutException exception) when (Emulator is not null)
        {
            throw new TimeoutException($"{exception.Message} {await Emulator.DescribeAsync(Name)}", exception);
        }
    }

    /// <summary>Waits until there are so many dead letters.</summary>
    public async Task<IReadOnlyList<ServiceBusReceivedMessage>> WaitForDeadLettersAsync(int count)
    {
        IReadOnlyList<ServiceBusReceivedMessage> letters = [];
        await Eventually.BecomesTrueAsync(
            async () => (letters = await PeekAsync(SubQueue.DeadLetter, Math.Max(count, 1_000))).Count >= count, $"{count} dead letters",
            TimeSpan.FromMinutes(2));
        return letters;
    }

    /// <summary>Removes all messages and dead letters.</summary>
    public async Task EmptyAsync()
    {
        foreach (SubQueue subQueue in (SubQueue[])[SubQueue.None, SubQueue.DeadLetter])
        {
            ServiceBusReceiver receiver =
                _client.CreateReceiver(Name, new ServiceBusReceiverOptions { SubQueue = subQueue, ReceiveMode = ServiceBusReceiveMode.ReceiveAndDelete });
            while ((await PeekAsync(subQueue, max: 1)).Count > 0)
            {
                await receiver.ReceiveMessagesAsync(100, TimeSpan.FromSeconds(1));
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        if (Emulator is { Process.HasExited: false })
        {
            await Emulator.RemoveAsync(Name);
        }

        _released?.Invoke();
    }
}
