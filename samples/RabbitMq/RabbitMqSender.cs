using Messaging.Configuration;
using Messaging.Publishing;
using RabbitMQ.Client;

namespace Samples.RabbitMq;

/// <summary>Sends messages to the queue. A message counts as sent when the broker has confirmed it.</summary>
public sealed class RabbitMqSender : IMessageSender
{
    private readonly IConnection _connection;
    private readonly IChannel _channel;
    private readonly string _queue;

    private RabbitMqSender(IConnection connection, IChannel channel, string queue)
    {
        _connection = connection;
        _channel = channel;
        _queue = queue;
    }

    public string Target => _queue;

    public string Accepted => "confirmed by";

    public int Concurrency => 1;

    public int BatchSize => 500;

    public string? Problem => _connection.IsOpen ? null : $"the connection is closed: {_connection.CloseReason?.ReplyText}";

    /// <exception cref="StartupException">The broker refuses access or is unreachable.</exception>
    public static async Task<RabbitMqSender> OpenAsync(RabbitMqOptions options, CancellationToken cancellationToken)
    {
        try
        {
            IConnection connection = await options.ConnectAsync(cancellationToken);
            IChannel channel = await connection.CreateChannelAsync(new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true), cancellationToken);
            return new RabbitMqSender(connection, channel, options.Queue);
        }
        catch (Exception exception) when (RabbitMqFaults.IsBrokers(exception))
        {
            throw RabbitMqFaults.Refusal(exception, options) ?? new StartupException($"RabbitMQ: {exception.Message}", ExitCodes.Unavailable, exception);
        }
    }

    public Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken) =>
        Task.WhenAll(messages.Select(message => SendAsync(message, cancellationToken)));

    public void Dispose() => _connection.Dispose();

    private async Task<string?> SendAsync(OutgoingMessage message, CancellationToken cancellationToken)
    {
        BasicProperties properties = new() { MessageId = message.Id, ContentType = "application/json", Persistent = true };
        try
        {
            // Mandatory, so that a message without a queue is returned as an error.
            await _channel.BasicPublishAsync(exchange: string.Empty, _queue, mandatory: true, properties, message.Body, cancellationToken);
            return null;
        }
        catch (Exception exception) when (RabbitMqFaults.IsBrokers(exception))
        {
            return exception.Message;
        }
    }
}
