using System.Threading.Channels;
using Microsoft.Extensions.Logging;
using Pipeline.Settlements;
using RabbitMQ.Client;

namespace Samples.RabbitMq;

/// <summary>
/// One connection and the messages received on it. Their tags are valid only on this connection, and when it breaks, the broker
/// redelivers them. Threads: any.
/// </summary>
internal sealed class RabbitMqSession : IAsyncDisposable
{
    // The delay of a message that could not be written to the dead-letter queue.
    private static readonly TimeSpan DeadLetterRetry = TimeSpan.FromSeconds(5);

    private static readonly TimeSpan CloseLimit = TimeSpan.FromSeconds(5);

    private readonly RabbitMqOptions _options;
    private readonly IConnection _connection;
    private readonly IChannel _consuming;
    private readonly IChannel _publishing;
    private readonly ILogger _logger;
    private readonly Channel<RabbitMqMessage> _arrived = Channel.CreateUnbounded<RabbitMqMessage>();
    private readonly CancellationTokenSource _closing = new();
    private readonly RabbitMqConsumer _consumer;
    private readonly TaskCompletionSource _noneWaits = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private string? _consumerTag;

    // Number of messages that wait for their delay, plus one for the session until it closes.
    private int _waiting = 1;

    private RabbitMqSession(RabbitMqOptions options, IConnection connection, IChannel consuming, IChannel publishing, TimeProvider time, ILogger logger)
    {
        _options = options;
        _connection = connection;
        _consuming = consuming;
        _publishing = publishing;
        Time = time;
        _logger = logger;
        _consumer = new RabbitMqConsumer(this, consuming, _arrived.Writer);
    }

    public TimeProvider Time { get; }

    /// <summary>Deliveries that the source has not read yet; reading fails when the connection fails.</summary>
    public ChannelReader<RabbitMqMessage> Arrived => _arrived.Reader;

    /// <param name="options">Where to connect.</param>
    /// <param name="prefetch">Maximum number of messages that the broker sends before one is settled.</param>
    /// <param name="time">The worker's clock.</param>
    /// <param name="logger">Warns of messages that will be redelivered.</param>
    /// <param name="cancellationToken">Cancels connecting.</param>
    public static async Task<RabbitMqSession> OpenAsync(RabbitMqOptions options, int prefetch, TimeProvider time, ILogger logger, CancellationToken cancellationToken)
    {
        IConnection connection = await options.ConnectAsync(cancellationToken);
        try
        {
            IChannel consuming = await connection.CreateChannelAsync(cancellationToken: cancellationToken);
            await consuming.BasicQosAsync(prefetchSize: 0, (ushort)Math.Min(prefetch, ushort.MaxValue), global: false, cancellationToken);
            IChannel publishing = await connection.CreateChannelAsync(new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true), cancellationToken);
            return new RabbitMqSession(options, connection, consuming, publishing, time, logger);
        }
        catch
        {
            await connection.DisposeAsync();
            throw;
        }
    }

    public async Task StartConsumingAsync(CancellationToken cancellationToken) =>
        _consumerTag = await _consuming.BasicConsumeAsync(_options.Queue, autoAck: false, _consumer, cancellationToken);

    /// <summary>Stops receiving and requeues the deliveries that the source has not read.</summary>
    public async Task StopConsumingAsync()
    {
        try
        {
            if (_consumerTag is { } tag)
            {
                _consumerTag = null;
                await _consuming.BasicCancelAsync(tag);
            }

            while (_arrived.Reader.TryRead(out RabbitMqMessage? message))
            {
                await _consuming.BasicNackAsync(message.Tag, multiple: false, requeue: true);
            }
        }
        catch (Exception exception) when (RabbitMqFaults.IsBrokers(exception))
        {
            // The broker takes back what a broken connection has not acknowledged.
        }
    }

    /// <summary>How much longer a message may be held.</summary>
    public TimeSpan GetHoldTime(RabbitMqMessage message)
    {
        TimeSpan left = _options.MaxHoldTime - Time.GetElapsedTime(message.ArrivedAt);
        return _closing.IsCancellationRequested || left < TimeSpan.Zero ? TimeSpan.Zero : left;
    }

    public async ValueTask CompleteAsync(RabbitMqMessage message)
    {
        try
        {
            await _consuming.BasicAckAsync(message.Tag, multiple: false);
        }
        catch (Exception exception) when (RabbitMqFaults.IsBrokers(exception))
        {
            _logger.LogWarning("A completed message could not be acknowledged and will be redelivered: {Reason}", exception.Message);
        }
    }

    /// <summary>
    /// Copies the message to the dead-letter queue and acknowledges it once the broker has confirmed the copy. It does not reject the
    /// message: without a dead-letter exchange the broker would drop it, and a rejection cannot carry the reason.
    /// </summary>
    public async ValueTask DeadLetterAsync(RabbitMqMessage message, Settlement settlement)
    {
        BasicProperties properties = new(message.Properties) { Persistent = true };
        properties.Headers = new Dictionary<string, object?>(message.Properties.Headers ?? new Dictionary<string, object?>(), StringComparer.Ordinal)
        {
            ["dead-letter-reason"] = settlement.Reason,
            ["dead-letter-description"] = settlement.Description,
        };
        try
        {
            await _publishing.BasicPublishAsync(exchange: string.Empty, _options.DeadLetters, mandatory: true, properties, message.Body, _closing.Token);
        }
        catch (Exception exception) when (RabbitMqFaults.IsBrokers(exception) || exception is OperationCanceledException)
        {
            _logger.LogError("A message could not be sent to the dead-letter queue {Queue}; it is abandoned and will be redelivered: {Reason}", _options.DeadLetters, exception.Message);
            await ReturnAsync(message, DeadLetterRetry);
            return;
        }

        await CompleteAsync(message);
    }

    /// <summary>Requeues the message after its delay, without waiting for it.</summary>
    public async ValueTask ReturnAsync(RabbitMqMessage message, TimeSpan delay)
    {
        if (delay <= TimeSpan.Zero || _closing.IsCancellationRequested)
        {
            await ReturnNowAsync(message);
            return;
        }

        Interlocked.Increment(ref _waiting);
        _ = ReturnLaterAsync(message, delay < _options.MaxHoldTime ? delay : _options.MaxHoldTime);
    }

    /// <summary>Requeues the waiting messages immediately and closes the connection.</summary>
    public async Task CloseAsync(CancellationToken cancellationToken)
    {
        await _closing.CancelAsync();
        OneWaitsLess();
        await _noneWaits.Task.WaitAsync(cancellationToken);
        await DisposeAsync();
    }

    /// <summary>Closes the connection. The broker redelivers the messages that are not settled.</summary>
    public async ValueTask DisposeAsync()
    {
        await _closing.CancelAsync();
        try
        {
            await _connection.CloseAsync(CloseLimit);
        }
        catch (Exception exception) when (RabbitMqFaults.IsBrokers(exception))
        {
            // The connection was already closed, or the broker does not answer.
        }

        await _connection.DisposeAsync();
    }

    private async Task ReturnLaterAsync(RabbitMqMessage message, TimeSpan delay)
    {
        await Task.Delay(delay, Time, _closing.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await ReturnNowAsync(message);
        OneWaitsLess();
    }

    private async Task ReturnNowAsync(RabbitMqMessage message)
    {
        try
        {
            // Since 4.3 a quorum queue counts this delivery only if it is rejected.
            await _consuming.BasicRejectAsync(message.Tag, requeue: true);
        }
        catch (Exception exception) when (RabbitMqFaults.IsBrokers(exception))
        {
            // The broker takes back what a broken connection has not acknowledged.
        }
    }

    private void OneWaitsLess()
    {
        if (Interlocked.Decrement(ref _waiting) == 0)
        {
            _noneWaits.TrySetResult();
        }
    }
}
