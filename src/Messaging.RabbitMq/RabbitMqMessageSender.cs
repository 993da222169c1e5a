using System.Text;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Telemetry;
using RabbitMQ.Client;

namespace Quayside.Messaging.RabbitMq;

/// <summary>Sends messages to the queue of <c>Sources:RabbitMq</c>. A message counts as sent when the broker has confirmed it. Threads: any.</summary>
internal sealed class RabbitMqMessageSender : IMessageSender
{
    // Confirmations come in batches, so many messages must be on their way.
    private const int Batch = 500;

    private const int MaxHeaderName = 255;

    private readonly IConnection _connection;
    private readonly IChannel _channel;
    private readonly TimeProvider _time;

    private RabbitMqMessageSender(IConnection connection, IChannel channel, string queue, TimeProvider time)
    {
        _time = time;
        _connection = connection;
        _channel = channel;
        Target = queue;
    }

    public string Target { get; }

    public string Accepted => "confirmed by";

    public int Concurrency => 1;

    public int BatchSize => Batch;

    public string? Problem =>
        _connection.IsOpen && _channel.IsOpen
            ? null
            : $"RabbitMQ closed the connection: {UntrustedText.Shorten((_connection.CloseReason ?? _channel.CloseReason)?.ReplyText)}";

    /// <exception cref="Configuration.StartupException">The broker refuses access, has no such queue, or is unreachable.</exception>
    public static async Task<IMessageSender> OpenAsync(RabbitMqSourceOptions options, CommandServices services, CancellationToken cancellationToken)
    {
        IConnection connection = await RabbitMqBroker.OpenAsync(options, "publishing to", [options.Queue], services.Error, cancellationToken);
        return new RabbitMqMessageSender(connection, await connection.CreateConfirmingChannelAsync(cancellationToken), options.Queue, services.Time);
    }

    public string? CheckAttribute(string name, string value) =>
        Encoding.UTF8.GetByteCount(name) > MaxHeaderName ? $"a header's name has at most {MaxHeaderName} bytes" : null;

    public Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken) =>
        Task.WhenAll(messages.Select(message => SendAsync(message, cancellationToken)));

    // The command ends here, so the thread may block until the connection is closed.
    public void Dispose() => RabbitMqBroker.CloseAsync(_connection).GetAwaiter().GetResult();

    private async Task<string?> SendAsync(OutgoingMessage message, CancellationToken cancellationToken)
    {
        Dictionary<string, object?> headers =
            message.Attributes.ToDictionary(attribute => attribute.Key, attribute => (object?)attribute.Value, StringComparer.Ordinal);
        if (MessageSpans.TryGetCurrent(out string? parent, out string? state))
        {
            headers["traceparent"] = parent;
            if (state is not null)
            {
                headers["tracestate"] = state;
            }
        }

        BasicProperties properties = new()
        {
            MessageId = message.Id,
            ContentType = "application/json",
            Persistent = true,
            Timestamp = new AmqpTimestamp(_time.GetUtcNow().ToUnixTimeSeconds()),
            Headers = headers
        };
        if (message.SystemProperties is { } system)
        {
            properties.ContentType = system.GetValueOrDefault("content-type");
            properties.CorrelationId = system.GetValueOrDefault("correlation-id");
            properties.ReplyTo = system.GetValueOrDefault("reply-to");
        }

        try
        {
            // Mandatory, so that a message without a queue is returned as an error.
            await _channel.BasicPublishAsync(exchange: string.Empty, Target, mandatory: true, properties, message.Body, cancellationToken);
            return null;
        }
        catch (Exception exception) when (RabbitMqFault.IsOne(exception))
        {
            return RabbitMqFault.Of(exception).ToString();
        }
    }
}
