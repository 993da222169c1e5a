using System.Globalization;
using System.Text.RegularExpressions;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Quayside.Messaging.RabbitMq;

/// <summary>Opens connections and channels to the broker.</summary>
internal static partial class RabbitMqBroker
{
    private static readonly TimeSpan CloseLimit = TimeSpan.FromSeconds(5);

    /// <summary>A channel whose publishes return when the broker has confirmed the message, and fail when it has not.</summary>
    public static Task<IChannel> CreateConfirmingChannelAsync(this IConnection connection, CancellationToken cancellationToken) =>
        connection.CreateChannelAsync(
            new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true), cancellationToken);

    /// <summary>Opens a connection for a command.</summary>
    /// <exception cref="StartupException">The broker refuses access, lacks a queue, or is unreachable.</exception>
    /// <param name="options">Where to connect.</param>
    /// <param name="purpose">What the broker shows the connection as.</param>
    /// <param name="queues">The queues that must exist.</param>
    /// <param name="notices">Receives a line when the broker accepts no messages.</param>
    /// <param name="cancellationToken">Cancels connecting.</param>
    public static async Task<IConnection> OpenAsync(
        RabbitMqSourceOptions options, string purpose, string[] queues, TextWriter notices, CancellationToken cancellationToken)
    {
        IConnection? connection = null;
        try
        {
            connection = await options.ConnectAsync(purpose, cancellationToken);
            connection.ConnectionBlockedAsync += async (
                _, blocked) => await notices.WriteLineAsync(
                    $"RabbitMQ accepts no messages ({UntrustedText.Shorten(blocked.Reason)}); waiting. Free disk or memory of the broker.");
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

    /// <summary>
    /// Throws the client's exception when a queue does not exist; creates it instead where the settings say so. Never changes one that exists.
    /// </summary>
    /// <returns>The queues that were created.</returns>
    public static async Task<IReadOnlyList<string>> CheckQueuesAsync(
        IConnection connection, RabbitMqSourceOptions options, string[] queues, CancellationToken cancellationToken)
    {
        List<string> created = [];
        foreach (string queue in queues)
        {
            try
            {
                await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken);
                await channel.QueueDeclarePassiveAsync(queue, cancellationToken);
            }
            catch (OperationInterruptedException exception) when (options.Declare && exception.ShutdownReason?.ReplyCode == 404)
            {
                // The broker has closed the channel. RabbitMQ 4 drops a message after 20 deliveries unless the queue says otherwise.
                Dictionary<string, object?> quorum = new(StringComparer.Ordinal) { ["x-queue-type"] = "quorum", ["x-delivery-limit"] = 1_000 };
                await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken);
                await channel.QueueDeclareAsync(queue, durable: true, exclusive: false, autoDelete: false, quorum, cancellationToken: cancellationToken);
                created.Add(queue);
            }
        }

        return created;
    }

    /// <summary>Throws the client's exception when the queue cannot be consumed: it is a stream, or the user has no right to read it.</summary>
    public static async Task CheckConsumeAsync(IConnection connection, string queue, CancellationToken cancellationToken)
    {
        try
        {
            // Refused in any case, so that no message is delivered: only the text tells a stream.
            await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken);
            Dictionary<string, object?> refused = new(StringComparer.Ordinal) { ["x-priority"] = "?" };
            await channel.BasicConsumeAsync(
                queue, autoAck: false, string.Empty, noLocal: false, exclusive: false, refused, new AsyncDefaultBasicConsumer(channel), cancellationToken);
        }
        catch (OperationInterruptedException exception) when (exception.ShutdownReason is { ReplyCode: 406 } reason
            && !reason.ReplyText.Contains("stream", StringComparison.Ordinal))
        {
            // It can be consumed, but not with this priority.
        }
    }

    /// <summary>
    /// Finds out how many redeliveries the queue's arguments allow: a declaration with other arguments is refused, and the broker names the first that
    /// differs. Changes and creates nothing, since no quorum queue has x-max-age.
    /// </summary>
    /// <returns><see cref="int.MaxValue"/> for a queue that drops nothing; null when the broker does not tell, or the arguments have no limit: a policy, or
    /// RabbitMQ, may have one.</returns>
    public static async Task<int?> FindDeliveryLimitAsync(IConnection connection, string queue, CancellationToken cancellationToken)
    {
        Dictionary<string, object?> arguments = new(StringComparer.Ordinal) { ["x-queue-type"] = "quorum", ["x-delivery-limit"] = "?", ["x-max-age"] = "1h" };

        // Each attempt adds an argument, and a quorum queue has fewer.
        while (arguments.Count < 20)
        {
            try
            {
                await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken);
                await channel.QueueDeclareAsync(queue, durable: true, exclusive: false, autoDelete: false, arguments, cancellationToken: cancellationToken);
                break;
            }
            catch (OperationInterruptedException exception)
            {
                Match told = Inequivalent().Match(exception.ShutdownReason?.ReplyText ?? string.Empty);
                (string name, string value) = (told.Groups["name"].Value, told.Groups["value"].Value);
                if (name is "" or "x-delivery-limit" or "x-dead-letter-exchange" or "x-queue-type" or "durable" || arguments.ContainsKey(name))
                {
                    return name is "x-dead-letter-exchange" or "x-queue-type" or "durable" ? int.MaxValue
                        : name == "x-delivery-limit" && int.TryParse(value, CultureInfo.InvariantCulture, out int limit) ? limit : null;
                }

                arguments[name] =
                    long.TryParse(value, CultureInfo.InvariantCulture, out long number) ? number : bool.TryParse(value, out bool flag) ? flag : value;
            }
        }

        return null;
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

    [GeneratedRegex("inequivalent arg '(?<name>[^']+)' .* current is (none|(the value )?'(?<value>.*?)'( of type '\\w+')?)$", RegexOptions.ExplicitCapture)]
    private static partial Regex Inequivalent();
}
