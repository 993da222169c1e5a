using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;
using RabbitMQ.Client;

namespace Quayside.Messaging.RabbitMq;

/// <summary>Opens connections and channels to the broker.</summary>
internal static class RabbitMqBroker
{
    private static readonly TimeSpan CloseLimit = TimeSpan.FromSeconds(5);

    /// <summary>A channel whose publishes return when the broker has confirmed the message, and fail when it has not.</summary>
    public static Task<IChannel> CreateConfirmingChannelAsync(this IConnection connection, CancellationToken cancellationToken) =>
        connection.CreateChannelAsync(new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true), cancellationToken);

    /// <summary>Opens a connection for a command.</summary>
    /// <exception cref="StartupException">The broker refuses access, lacks a queue, or is unreachable.</exception>
    /// <param name="options">Where to connect.</param>
    /// <param name="purpose">What the broker shows the connection as.</param>
    /// <param name="queues">The queues that must exist.</param>
    /// <param name="notices">Receives a line when the broker accepts no messages.</param>
    /// <param name="cancellationToken">Cancels connecting.</param>
    public static async Task<IConnection> OpenAsync(RabbitMqSourceOptions options, string purpose, string[] queues, TextWriter notices, CancellationToken cancellationToken)
    {
        IConnection? connection = null;
        try
        {
            connection = await options.ConnectAsync(purpose, cancellationToken);
            connection.ConnectionBlockedAsync += async (_, blocked) => await notices.WriteLineAsync($"RabbitMQ accepts no messages ({UntrustedText.Shorten(blocked.Reason)}); waiting. Free disk or memory of the broker.");
            await CheckQueuesAsync(connection, options, queues, cancellationToken);
            return connection;
        }
        catch (Exception exception)
        {
            connection?.Dispose();
            if (!RabbitMqFault.IsOne(exception))
            {
                throw;
            }

            throw RabbitMqFault.Of(exception).ToStartupException(options);
        }
    }

    /// <summary>Throws the client's exception when a queue does not exist; creates it instead where the settings say so. Never changes one that exists.</summary>
    /// <returns>The queues that were created.</returns>
    public static async Task<IReadOnlyList<string>> CheckQueuesAsync(IConnection connection, RabbitMqSourceOptions options, string[] queues, CancellationToken cancellationToken)
    {
        List<string> created = [];
        foreach (string queue in queues)
        {
            if (!options.Declare || await ExistsAsync(connection, queue, cancellationToken))
            {
                await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken);
                await channel.QueueDeclarePassiveAsync(queue, cancellationToken);
                continue;
            }

            await using IChannel declaring = await connection.CreateChannelAsync(cancellationToken: cancellationToken);

            // RabbitMQ 4 drops a message after 20 deliveries unless the queue says otherwise.
            Dictionary<string, object?> quorum = new(StringComparer.Ordinal) { ["x-queue-type"] = "quorum", ["x-delivery-limit"] = 1_000 };
            await declaring.QueueDeclareAsync(queue, durable: true, exclusive: false, autoDelete: false, quorum, cancellationToken: cancellationToken);
            created.Add(queue);
        }

        return created;
    }

    /// <summary>Closes a connection, whatever state it is in.</summary>
    public static async Task CloseAsync(IConnection connection)
    {
        try
        {
            await connection.CloseAsync(CloseLimit);
        }
        catch (Exception exception) when (RabbitMqFault.IsOne(exception) || exception is OperationCanceledException)
        {
            // It was closed already, or the broker does not answer.
        }

        await connection.DisposeAsync();
    }

    // The broker closes the channel when the queue is missing, so each has its own.
    private static async Task<bool> ExistsAsync(IConnection connection, string queue, CancellationToken cancellationToken)
    {
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken);
        try
        {
            await channel.QueueDeclarePassiveAsync(queue, cancellationToken);
            return true;
        }
        catch (RabbitMQ.Client.Exceptions.OperationInterruptedException exception) when (exception.ShutdownReason?.ReplyCode == 404)
        {
            return false;
        }
    }
}
