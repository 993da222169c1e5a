using System.Text;
using Integration.Tests.Worker;
using RabbitMQ.Client;

namespace Integration.Tests.RabbitMq;

/// <summary>A queue and its dead-letter queue, used through the official client: shares no code with the worker.</summary>
internal sealed class RabbitMqQueue : IAsyncDisposable
{
    private IConnection _connection;
    private IChannel _channel;

    private RabbitMqQueue(Uri address, string name, IConnection connection, IChannel channel)
    {
        Address = address;
        Name = name;
        _connection = connection;
        _channel = channel;
    }

    public Uri Address { get; }

    public string Name { get; }

    public string DeadLetters => $"{Name}.dead-letters";

    public IChannel Channel => _channel;

    /// <summary>The worker's command line for this queue.</summary>
    public IReadOnlyList<string> Arguments => ["--Routes:archive:Source=RabbitMq", $"--Sources:RabbitMq:Queue={Name}"];

    /// <summary>The worker's environment for this queue: a secret does not belong on a command line.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Environment => ToEnvironment(Address.ToString());

    public static IReadOnlyList<KeyValuePair<string, string>> ToEnvironment(string address) => [KeyValuePair.Create("Sources__RabbitMq__Uri", address)];

    /// <summary>Declares a queue of its own, and its dead-letter queue.</summary>
    /// <param name="address">The broker.</param>
    /// <param name="type">quorum or classic.</param>
    /// <param name="arguments">Further arguments of the queue.</param>
    public static async Task<RabbitMqQueue> CreateAsync(Uri address, string type = "quorum", params (string Name, object? Value)[] arguments)
    {
        (IConnection connection, IChannel channel) = await ConnectAsync(address);
        RabbitMqQueue queue = new(address, $"q-{Guid.NewGuid():n}", connection, channel);
        await queue.DeclareAsync(type, arguments);
        await channel.QueueDeclareAsync(queue.DeadLetters, durable: true, exclusive: false, autoDelete: false, Type("quorum"));
        return queue;
    }

    public Task DeclareAsync(string type = "quorum", params (string Name, object? Value)[] arguments)
    {
        Dictionary<string, object?> all = Type(type);
        foreach ((string name, object? value) in arguments)
        {
            all.Add(name, value);
        }

        return _channel.QueueDeclareAsync(Name, durable: true, exclusive: false, autoDelete: false, all);
    }

    /// <summary>After a restart of the broker.</summary>
    public async Task ReconnectAsync()
    {
        await _connection.DisposeAsync();
        (_connection, _channel) = await ConnectAsync(Address);
    }

    public Task SendAsync(byte[] body, string? id = null, BasicProperties? properties = null)
    {
        properties ??= new BasicProperties();
        properties.MessageId = id;
        properties.Persistent = true;
        return _channel.BasicPublishAsync(string.Empty, Name, mandatory: true, properties, body).AsTask();
    }

    public Task SendAsync(IEnumerable<ArchiveMessage> messages) => Task.WhenAll(messages.Select(message => SendAsync(message.Body, message.Id)));

    /// <summary>Messages that wait: neither delivered nor settled.</summary>
    public Task<uint> CountAsync(string? queue = null) => _channel.MessageCountAsync(queue ?? Name);

    /// <summary>Waits until no message is left, delivered ones included: the queue shows those only to the one that has them.</summary>
    /// <param name="hasNoneInFlight">True once no worker holds a message.</param>
    public Task WaitUntilEmptyAsync(Func<Task<bool>> hasNoneInFlight) =>
        Eventually.BecomesTrueAsync(async () => await hasNoneInFlight() && await CountAsync() == 0, $"the queue {Name} is empty", TimeSpan.FromMinutes(2));

    /// <summary>Waits until a number of messages are there.</summary>
    public Task WaitForAsync(uint count) => Eventually.BecomesTrueAsync(async () => await CountAsync() == count, $"{count} messages in {Name}");

    /// <summary>Takes a number of dead letters, and fails if there are fewer.</summary>
    public async Task<IReadOnlyList<BasicGetResult>> TakeDeadLettersAsync(int count)
    {
        List<BasicGetResult> letters = [];
        await Eventually.BecomesTrueAsync(
            async () =>
            {
                while (letters.Count < count && await _channel.BasicGetAsync(DeadLetters, autoAck: true) is { } letter)
                {
                    letters.Add(letter);
                }

                return letters.Count >= count;
            },
            $"{count} dead letters");
        return letters;
    }

    /// <summary>A header of a dead letter, as text.</summary>
    public static string? Header(BasicGetResult letter, string name) =>
        letter.BasicProperties.Headers?.TryGetValue(name, out object? value) == true
            ? value is byte[] bytes ? Encoding.UTF8.GetString(bytes) : value?.ToString()
            : null;

    public async ValueTask DisposeAsync()
    {
        if (_channel.IsOpen)
        {
            await _channel.QueueDeleteAsync(Name);
            await _channel.QueueDeleteAsync(DeadLetters);
        }

        await _connection.DisposeAsync();
    }

    private static Dictionary<string, object?> Type(string type) => new(StringComparer.Ordinal) { ["x-queue-type"] = type };

    private static async Task<(IConnection Connection, IChannel Channel)> ConnectAsync(Uri address)
    {
        IConnection connection = await new ConnectionFactory { Uri = address, AutomaticRecoveryEnabled = false }.CreateConnectionAsync();
        return (
            connection,
            await connection.CreateChannelAsync(new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true)));
    }
}
