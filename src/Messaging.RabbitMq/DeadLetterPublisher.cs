using Quayside.Pipeline.Settlements;
using RabbitMQ.Client;

namespace Quayside.Messaging.RabbitMq;

/// <summary>
/// Publishes dead letters on a connection of its own: the broker stops reading from connections that publish while it is short of memory or
/// disk, and acknowledgements must not wait behind them. Threads: any.
/// </summary>
internal sealed class DeadLetterPublisher(RabbitMqSourceOptions options, RabbitMqLog log, TimeProvider time) : IAsyncDisposable
{
    private static readonly TimeSpan ConfirmLimit = TimeSpan.FromSeconds(30);

    private readonly SemaphoreSlim _opening = new(1);
    private IConnection? _connection;
    private IChannel? _channel;
    private volatile string? _problem;

    /// <summary>Why dead letters cannot be sent now; null when no problem is known.</summary>
    public string? Problem => _problem;

    /// <summary>Forgets the problem: another worker may have got the messages that showed it.</summary>
    public void Reset() => _problem = null;

    /// <summary>Returns once the broker has confirmed the dead letter. Throws the client's exception when it could not be sent.</summary>
    /// <param name="message">The message.</param>
    /// <param name="settlement">Why it is dead-lettered.</param>
    /// <param name="headers">How much of that the dead letter says.</param>
    /// <param name="cancellationToken">Ends the wait for the confirmation.</param>
    public async Task PublishAsync(RabbitMqMessage message, Settlement settlement, DeadLetterHeaders headers, CancellationToken cancellationToken)
    {
        try
        {
            IChannel channel = await OpenAsync(cancellationToken);

            // Mandatory, so that a dead letter without a queue is an error.
            Task confirmed = channel.BasicPublishAsync(
                options.DeadLetterExchange ?? string.Empty, options.DeadLetters, mandatory: true,
                RabbitMqHeaders.DeadLetter(message, settlement, options.Queue, headers, time.GetUtcNow()), message.Body, cancellationToken).AsTask();
            try
            {
                await confirmed.WaitAsync(ConfirmLimit, time);
            }
            catch (TimeoutException) when (!confirmed.IsCompleted)
            {
                // Not sent again: it may have arrived.
                _problem ??= $"RabbitMQ has not confirmed a dead letter for {ConfirmLimit.TotalSeconds} s.";
                log.DeadLetterUnconfirmed(options.DeadLetterTarget);
            }

            await confirmed;
            _problem = null;
        }
        catch (Exception exception) when (RabbitMqFault.IsOne(exception))
        {
            _problem = $"Dead letters cannot be sent to {options.DeadLetterTarget}: {RabbitMqFault.Of(exception)}";
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_connection is { } connection)
        {
            _connection = null;
            await RabbitMqBroker.CloseAsync(connection);
        }
    }

    private async Task<IChannel> OpenAsync(CancellationToken cancellationToken)
    {
        await _opening.WaitAsync(cancellationToken);
        try
        {
            if (_channel is { IsOpen: true } open)
            {
                return open;
            }

            await DisposeAsync();
            IConnection connection = await options.ConnectAsync("dead letters of", cancellationToken);
            connection.ConnectionBlockedAsync += (_, blocked) =>
            {
                _problem = $"RabbitMQ accepts no dead letters: {blocked.Reason}.";
                log.Blocked(blocked.Reason);
                return Task.CompletedTask;
            };
            connection.ConnectionUnblockedAsync += (_, _) =>
            {
                _problem = null;
                log.Unblocked();
                return Task.CompletedTask;
            };
            _connection = connection;
            return _channel = await connection.CreateConfirmingChannelAsync(cancellationToken);
        }
        finally
        {
            _opening.Release();
        }
    }
}
