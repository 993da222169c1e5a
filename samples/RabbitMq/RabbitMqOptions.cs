using Messaging.Configuration;
using RabbitMQ.Client;

namespace Samples.RabbitMq;

/// <summary>Settings of the source, section <c>Sources:RabbitMq</c>.</summary>
public sealed class RabbitMqOptions : ISelfValidating
{
    public const string Section = "Sources:RabbitMq";

    [Setting("Address of the broker, such as amqp://user:password@host:5672/vhost; amqps:// for TLS", Secret = true)]
    public string Uri { get; set; } = "amqp://guest:guest@localhost:5672/";

    [Setting("Queue that messages are received from; best a quorum queue, which counts deliveries", Required = true)]
    public string Queue { get; set; } = string.Empty;

    [Setting("Queue for dead letters, which carry reason and description as headers; {Queue}.dead-letters unless given")]
    public string? DeadLetterQueue { get; set; }

    [Setting("True to declare missing queues at the start, as quorum queues; otherwise a missing queue ends the start")]
    public bool Declare { get; set; }

    [Setting("How soon a broken connection is noticed: twice this long", Min = "1s", Max = "10m")]
    public TimeSpan Heartbeat { get; set; } = TimeSpan.FromSeconds(15);

    [Setting("How long a message is held while its handler or sink fails, before it is requeued", Min = "0s", Max = "25m",
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
            check.Fail(nameof(DeadLetterQueue), "must be another queue than Queue.", "Dead letters would be received as messages.", nameof(Queue));
        }
    }

    /// <summary>Opens a connection. The source reconnects itself, since a delivery can only be acknowledged on the connection it came by.</summary>
    internal Task<IConnection> ConnectAsync(CancellationToken cancellationToken) => new ConnectionFactory
    {
        Uri = new Uri(Uri),
        AutomaticRecoveryEnabled = false,
        RequestedHeartbeat = Heartbeat,
        ClientProvidedName = $"worker {Queue}",
    }.CreateConnectionAsync(cancellationToken);
}
