using System.Threading.Channels;
using Microsoft.Extensions.Logging;
using Pipeline.Settlements;
using RabbitMQ.Client;

namespace Samples.RabbitMq;

/// <summary>
/// One connection and the messages that came by it: their tags mean nothing on another one, and when it breaks the broker delivers
/// them again by itself. Threads: any.
/// </summary>
internal sealed class RabbitMqSession : IAsyncDisposable
{
    // The wait of a message that could not be written to the dead-letter queue.
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

    // Messages that wait for their delay, and one for the session until it closes.
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

    /// <summary>Deliveries that no one has taken yet; reading fails when the connection does.</summary>
    public ChannelReader<RabbitMqMessage> Arrived => _arrived.Reader;

    /// <param name="options">Where to connect.</param>
    /// <param name="prefetch">Messages that the broker sends before one is settled.</param>
    /// <param name="time">The worker's clock.</param>
    /// <param name="logger">Warns of messages that will be delivered again.</param>
    /// <param name="cancellationToken">Ends the connecting.</param>
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

    /// <summary>Stops receiving; deliveries that no one has taken are requeued.</summary>
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

    /// <summary>How much longer the broker may be kept waiting for a message.</summary>
    public TimeSpan AskToHold(RabbitMqMessage message)
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
            _logger.LogWarning("A message that was completed is delivered again: {Reason}", exception.Message);
        }
    }

    /// <summary>
    /// Copies the message to the dead-letter queue and acknowledges it once the broker has confirmed the copy. Not by a rejection: where
    /// the queue has no dead-letter exchange the broker would drop the message, and it would never carry the reason.
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
            _logger.LogError("A dead letter could not be written to {Queue} and is delivered again: {Reason}", _options.DeadLetters, exception.Message);
            await ReturnAsync(message, DeadLetterRetry);
            return;
        }

        await CompleteAsync(message);
    }

    /// <summary>Gives the message back to the queue when its delay is over; returns at once.</summary>
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

    /// <summary>Returns what waits, sends what is left to send, and closes the connection.</summary>
    public async Task CloseAsync(CancellationToken cancellationToken)
    {
        await _closing.CancelAsync();
        OneWaitsLess();
        await _noneWaits.Task.WaitAsync(cancellationToken);
        await DisposeAsync();
    }

    /// <summary>Closes the connection. What is not settled the broker delivers again.</summary>
    public async ValueTask DisposeAsync()
    {
        await _closing.CancelAsync();
        try
        {
            await _connection.CloseAsync(CloseLimit);
        }
        catch (Exception exception) when (RabbitMqFaults.IsBrokers(exception))
        {
            // It was closed before, or the broker does not answer.
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
            await _consuming.BasicNackAsync(message.Tag, multiple: false, requeue: true);
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
