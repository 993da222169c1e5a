using Messaging.Configuration;
using RabbitMQ.Client;

namespace Samples.RabbitMq;

/// <summary>Settings of the source, section <c>Sources:RabbitMq</c>.</summary>
public sealed class RabbitMqOptions : ISelfValidating
{
    public const string Section = "Sources:RabbitMq";

    [Setting("Address of the broker, such as amqp://user:password@host:5672/vhost; amqps:// for TLS", Secret = true)]
    public string Uri { get; set; } = "amqp://guest:guest@localhost:5672/";

    [Setting("Queue to receive messages from; preferably a quorum queue, which counts deliveries", Required = true)]
    public string Queue { get; set; } = string.Empty;

    [Setting("Queue for dead letters, with reason and description as headers; default: {Queue}.dead-letters")]
    public string? DeadLetterQueue { get; set; }

    [Setting("Declare missing queues at the start, as quorum queues; without it a missing queue is an error")]
    public bool Declare { get; set; }

    [Setting("Heartbeat interval; a broken connection is detected after two intervals", Min = "1s", Max = "10m")]
    public TimeSpan Heartbeat { get; set; } = TimeSpan.FromSeconds(15);

    [Setting("Maximum time for which a message is held while its handler or sink fails, before it is requeued", Min = "0s", Max = "25m",
        Consequence = "RabbitMQ closes the channel of a message that is not acknowledged within its consumer_timeout, 30 minutes by default.")]
    public TimeSpan MaxHoldTime { get; set; } = TimeSpan.FromMinutes(15);

    /// <summary>The dead-letter queue in effect.</summary>
    public string DeadLetters => string.IsNullOrEmpty(DeadLetterQueue) ? $"{Queue}.dead-letters" : DeadLetterQueue;

    public void Validate(SettingsCheck check)
    {
        if (!System.Uri.TryCreate(Uri, UriKind.Absolute, out Uri? uri) || uri.Scheme is not ("amqp" or "amqps"))
        {
            check.Fail(nameof(Uri), "must be an address such as amqp://user:password@host:5672/vhost.");
        }

        if (DeadLetters == Queue)
        {
            check.Fail(nameof(DeadLetterQueue), "must not be the same queue as Queue.", "Dead letters would be received as messages.", nameof(Queue));
        }
    }

    /// <summary>Opens a connection. The source reconnects itself, because a delivery can be acknowledged only on its own connection.</summary>
    internal Task<IConnection> ConnectAsync(CancellationToken cancellationToken) => new ConnectionFactory
    {
        Uri = new Uri(Uri),
        AutomaticRecoveryEnabled = false,
        RequestedHeartbeat = Heartbeat,
        ClientProvidedName = $"worker {Queue}",
    }.CreateConnectionAsync(cancellationToken);
}
