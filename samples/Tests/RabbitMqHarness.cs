using System.Text;
using Messaging.Sources;
using Messaging.Testing;
using Microsoft.Extensions.DependencyInjection;
using RabbitMQ.Client;
using Samples.RabbitMq;

namespace Samples.Tests;

/// <summary>The source with a separate queue per test, on a real broker.</summary>
internal sealed class RabbitMqHarness : SourceHarness
{
    private readonly IConnection _connection;
    private readonly IChannel _channel;
    private readonly RabbitMqOptions _options;
    private RabbitMqSource _source;
    private int _published;

    private RabbitMqHarness(IConnection connection, IChannel channel, RabbitMqOptions options, RabbitMqSource source)
    {
        _connection = connection;
        _channel = channel;
        _options = options;
        _source = source;
    }

    public override IMessageSource Source => _source;

    /// <summary>The queue is real, so the delay passes in real time: long enough for a busy machine.</summary>
    public override TimeSpan AbandonDelay => TimeSpan.FromSeconds(2);

    /// <summary>Headers of the messages that are published.</summary>
    public IDictionary<string, object?>? Headers { get; set; }

    public static async Task<RabbitMqHarness> CreateAsync()
    {
        RabbitMqOptions options = new() { Uri = Servers.RabbitMq, Queue = $"contract-{Guid.NewGuid():n}", Declare = true };
        IConnection connection = await Servers.ConnectAsync();
        IChannel channel = await connection.CreateChannelAsync(new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true));
        RabbitMqSource source = Open(options);

        // Declares the queues, so that the test can send before it starts the source.
        await source.CheckAsync(CancellationToken.None);
        return new RabbitMqHarness(connection, channel, options, source);
    }

    public override async Task PublishAsync(byte[] body, string? id = null)
    {
        Interlocked.Increment(ref _published);
        await _channel.BasicPublishAsync(string.Empty, _options.Queue, mandatory: true, new BasicProperties { MessageId = id, Persistent = true, Headers = Headers }, body);
    }

    /// <summary>Disposing the source closes its connection; the broker requeues what was not acknowledged, as when a process dies.</summary>
    public override async Task ReopenAsync()
    {
        // The settled messages are not delivered again.
        _published = Intake.Unsettled;
        await CrashAsync();
        _source = Open(_options);
    }

    public override async Task<IReadOnlyList<DeadLetteredMessage>> DeadLettersAsync(int expected)
    {
        List<DeadLetteredMessage> letters = [];
        for (int attempt = 0; attempt < 2_000; attempt++)
        {
            while (await _channel.BasicGetAsync(_options.DeadLetters, autoAck: true) is { } letter)
            {
                byte[] body = letter.Body.ToArray();
                letters.Add(new DeadLetteredMessage(
                    letter.BasicProperties.MessageId ?? IdOf(body), Header(letter, "dead-letter-reason"), Header(letter, "dead-letter-description"), body));
            }

            if (letters.Count >= expected)
            {
                return letters;
            }

            await Task.Delay(10);
        }

        throw new TimeoutException($"{letters.Count} of {expected} dead letters arrived.");
    }

    /// <summary>The queue's count excludes messages that were delivered and not yet acknowledged, so the deliveries are counted too.</summary>
    public override async Task WaitUntilEmptyAsync()
    {
        for (int attempt = 0; attempt < 2_000; attempt++)
        {
            if (Intake.Accepted >= _published && Intake.Unsettled == 0 && await _channel.MessageCountAsync(_options.Queue) == 0)
            {
                return;
            }

            await Task.Delay(10);
        }

        throw new TimeoutException("The queue did not become empty.");
    }

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        await _channel.QueueDeleteAsync(_options.Queue);
        await _channel.QueueDeleteAsync(_options.DeadLetters);
        await _connection.DisposeAsync();
    }

    private static RabbitMqSource Open(RabbitMqOptions options) => new(
        options, new SourceServices("contract", new ServiceCollection().BuildServiceProvider(), new MemoryDeadLetters(), new RecordingLog(), TimeProvider.System, Concurrency: 64));

    private static string IdOf(byte[] body)
    {
        byte[] id = new byte[ContentId.Length];
        ContentId.Write(body, id);
        return Encoding.UTF8.GetString(id);
    }

    private static string Header(BasicGetResult letter, string name) => Encoding.UTF8.GetString((byte[])letter.BasicProperties.Headers![name]!);
}
