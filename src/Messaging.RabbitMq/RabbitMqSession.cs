using System.Threading.Channels;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;
using RabbitMQ.Client;

namespace Quayside.Messaging.RabbitMq;

/// <summary>
/// One connection and the messages received on it. Their tags are valid only on this connection, and when it breaks, the broker
/// redelivers them. Threads: any, but for the methods that receive: one at a time.
/// </summary>
/// <param name="connection">The connection, which the session closes.</param>
/// <param name="channel">Its channel.</param>
/// <param name="source">What outlives the session.</param>
internal sealed class RabbitMqSession(IConnection connection, IChannel channel, SessionSource source) : IAsyncDisposable
{
    private const int MaxAccepted = 64;

    private static readonly TimeSpan DeadLetterRetry = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan LongestDelay = TimeSpan.FromDays(1);

    private readonly Acknowledgements _acknowledgements = new(channel, source.Time, source.Log);
    private readonly Channel<RabbitMqMessage> _arrived = Channel.CreateUnbounded<RabbitMqMessage>();
    private readonly ReceivedMessage[] _accepting = new ReceivedMessage[MaxAccepted];

    private readonly CancellationTokenSource _ended = new();

    // Ends the delays; no dead letter is tried again.
    private readonly CancellationTokenSource _closing = new();

    // Ends also the wait for the broker's confirmation.
    private readonly CancellationTokenSource _aborting = new();
    private readonly TaskCompletionSource _noneWaits = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private string? _consumerTag;

    // Messages that wait for their delay or are being dead-lettered, plus one for the session until it closes.
    private int _waiting = 1;

    public TimeProvider Time => source.Time;

    public ReturnCounts Returns => source.Returns;

    /// <summary>Deliveries that have not been accepted.</summary>
    public int Arrived => _arrived.Reader.Count;

    /// <summary>Connects.</summary>
    /// <param name="prefetch">Maximum number of messages that the broker sends before one is settled.</param>
    /// <param name="source">What outlives the session.</param>
    /// <param name="cancellationToken">Cancels connecting.</param>
    public static async Task<RabbitMqSession> OpenAsync(int prefetch, SessionSource source, CancellationToken cancellationToken)
    {
        IConnection connection = await source.Options.ConnectAsync("receiving from", cancellationToken);
        try
        {
            IChannel channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken);
            await channel.BasicQosAsync(prefetchSize: 0, (ushort)prefetch, global: false, cancellationToken);
            return new RabbitMqSession(connection, channel, source);
        }
        catch
        {
            await connection.DisposeAsync();
            throw;
        }
    }

    // The usual priority; a stream, which would skip messages after each connection, refuses the argument.
    public async Task StartConsumingAsync(CancellationToken cancellationToken) =>
        _consumerTag = await channel.BasicConsumeAsync(
            source.Options.Queue, autoAck: false, string.Empty, noLocal: false, exclusive: false,
            new Dictionary<string, object?>(StringComparer.Ordinal) { ["x-priority"] = 0 }, new RabbitMqConsumer(this, channel), cancellationToken);

    /// <summary>Stops receiving and requeues the deliveries that were not accepted.</summary>
    public async Task StopConsumingAsync()
    {
        try
        {
            if (_consumerTag is { } tag)
            {
                _consumerTag = null;
                await channel.BasicCancelAsync(tag);
            }

            while (_arrived.Reader.TryRead(out RabbitMqMessage? message))
            {
                await channel.BasicNackAsync(message.Tag, multiple: false, requeue: true);
                _acknowledgements.Remove(message);
                message.Free();
            }
        }
        catch (Exception exception) when (RabbitMqFault.IsOne(exception))
        {
            // The broker takes back what a broken connection has not acknowledged.
        }
    }

    /// <summary>A delivery has arrived.</summary>
    public void Add(RabbitMqMessage message)
    {
        _acknowledgements.Add(message);
        if (message.DeliveryCount > 1)
        {
            source.Limit.Saw(message);
        }

        _arrived.Writer.TryWrite(message);
    }

    /// <summary>Cancelled once nothing more will arrive.</summary>
    public CancellationToken Ended => _ended.Token;

    /// <summary>Nothing more will arrive, and what has arrived will be delivered again.</summary>
    public void Broken(Exception exception)
    {
        _arrived.Writer.TryComplete(exception);
        while (_arrived.Reader.TryRead(out RabbitMqMessage? message))
        {
            _acknowledgements.Remove(message);
            message.Free();
        }

        _ = _ended.CancelAsync();
    }

    /// <summary>Waits for a delivery; throws when the connection or the consumer has ended.</summary>
    public ValueTask<bool> WaitAsync(CancellationToken cancellationToken) => _arrived.Reader.WaitToReadAsync(cancellationToken);

    /// <summary>Accepts what has arrived, as far as there are slots.</summary>
    public void Accept(in SlotLease slots)
    {
        while (slots.Count > 0)
        {
            int count = 0;
            while (count < Math.Min(slots.Count, MaxAccepted) && _arrived.Reader.TryRead(out RabbitMqMessage? message))
            {
                _accepting[count++] = message;
            }

            if (count == 0)
            {
                return;
            }

            slots.Accept(_accepting.AsSpan(0, count));
            Array.Clear(_accepting, 0, count);
        }
    }

    /// <summary>How much longer a message may be held.</summary>
    public TimeSpan TryHold(RabbitMqMessage message)
    {
        TimeSpan left = source.Options.MaxHoldTime - message.Age;
        return _closing.IsCancellationRequested || left < TimeSpan.Zero ? TimeSpan.Zero : left;
    }

    public void Complete(RabbitMqMessage message)
    {
        Returns.Remove(message);
        message.Free();
        _acknowledgements.Complete(message);
    }

    /// <summary>
    /// Publishes the message as a dead letter, and acknowledges it once the broker has confirmed the copy. Meanwhile it keeps its place in the
    /// prefetch, but no slot.
    /// </summary>
    public void DeadLetter(RabbitMqMessage message, Settlement settlement)
    {
        Interlocked.Increment(ref _waiting);
        _ = DeadLetterAsync(message, settlement);
    }

    /// <summary>Requeues the message after its delay. Until then the broker keeps it for this worker.</summary>
    public void Return(RabbitMqMessage message, TimeSpan delay)
    {
        Returns.Add(message);
        Interlocked.Increment(ref _waiting);
        _ = ReturnAsync(message, delay < LongestDelay ? delay : LongestDelay);
    }

    /// <summary>The messages of a queue that are ready, not those that a consumer has.</summary>
    public async Task<long> CountAsync(string queue, CancellationToken cancellationToken)
    {
        await using IChannel counting = await connection.CreateChannelAsync(cancellationToken: cancellationToken);
        return (await counting.QueueDeclarePassiveAsync(queue, cancellationToken)).MessageCount;
    }

    /// <summary>Requeues the waiting messages immediately, sends the last acknowledgements and closes the connection.</summary>
    /// <param name="cancellationToken">Ends the wait for confirmations of dead letters; the messages without one are requeued.</param>
    public async Task CloseAsync(CancellationToken cancellationToken)
    {
        await _closing.CancelAsync();
        await using (cancellationToken.UnsafeRegister(static aborting => ((CancellationTokenSource)aborting!).Cancel(), _aborting))
        {
            OneWaitsLess();
            await _noneWaits.Task;
        }

        await _acknowledgements.FlushAsync();
        await DisposeAsync();
    }

    /// <summary>Closes the connection. The broker redelivers the messages that are not settled.</summary>
    public async ValueTask DisposeAsync()
    {
        await _closing.CancelAsync();
        await _aborting.CancelAsync();
        _acknowledgements.Dispose();
        await RabbitMqBroker.CloseAsync(connection);
    }

    private async Task DeadLetterAsync(RabbitMqMessage message, Settlement settlement)
    {
        DeadLetterHeaders headers = DeadLetterHeaders.All;
        try
        {
            while (true)
            {
                try
                {
                    await source.Letters.PublishAsync(message, settlement, headers, _aborting.Token);
                    if (headers == DeadLetterHeaders.None)
                    {
                        source.Log.ReasonLost(UntrustedText.Shorten(message.SourceId.Span), source.Options.DeadLetterTarget, settlement);
                    }

                    Complete(message);
                    return;
                }
                catch (Exception exception)
                {
                    // Of whatever kind: the message is kept.
                    if (_closing.IsCancellationRequested)
                    {
                        await RejectAsync(message);
                        return;
                    }

                    // The message's own headers may nearly fill the one frame that all headers must fit.
                    if (RabbitMqFault.IsFrameError(exception))
                    {
                        headers = headers == DeadLetterHeaders.All ? DeadLetterHeaders.WithoutTexts : DeadLetterHeaders.None;
                    }

                    source.Log.DeadLetterFailed(source.Options.DeadLetterTarget, DeadLetterRetry, exception);
                }

                await Task.Delay(DeadLetterRetry, Time, _closing.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
        finally
        {
            OneWaitsLess();
        }
    }

    private async Task ReturnAsync(RabbitMqMessage message, TimeSpan delay)
    {
        if (delay > TimeSpan.Zero)
        {
            await Task.Delay(delay, Time, _closing.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        await RejectAsync(message);
        OneWaitsLess();
    }

    private async Task RejectAsync(RabbitMqMessage message)
    {
        try
        {
            // Since 4.3 a quorum queue counts this delivery only if it is rejected.
            await channel.BasicRejectAsync(message.Tag, requeue: true);
            _acknowledgements.Remove(message);
        }
        catch (Exception)
        {
            // Of whatever kind: the broker takes back what a broken connection has not acknowledged, and the close waits for this.
        }

        message.Free();
    }

    private void OneWaitsLess()
    {
        if (Interlocked.Decrement(ref _waiting) == 0)
        {
            _noneWaits.TrySetResult();
        }
    }
}

/// <summary>What a source keeps from one session to the next.</summary>
/// <param name="Options">Where to connect.</param>
/// <param name="Letters">Publishes dead letters.</param>
/// <param name="Returns">Counts what the queue does not.</param>
/// <param name="Limit">Warns of deliveries that approach the queue's limit.</param>
/// <param name="Time">The worker's clock.</param>
/// <param name="Log">The source's log.</param>
internal sealed record SessionSource(
    RabbitMqSourceOptions Options, DeadLetterPublisher Letters, ReturnCounts Returns, DeliveryLimit Limit, TimeProvider Time, RabbitMqLog Log);
