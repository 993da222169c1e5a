using Messaging.Recoverability;
using Messaging.Sources;
using Microsoft.Extensions.Logging;
using RabbitMQ.Client;

namespace Samples.RabbitMq;

/// <summary>The messages of one queue. The prefetch is the route's concurrency, so the broker sends only as many as the route can process.</summary>
internal sealed class RabbitMqSource(RabbitMqOptions options, SourceServices services) : IMessageSource
{
    private static readonly Backoff Backoff = new(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(30));
    private static readonly TimeSpan MinWait = TimeSpan.FromMilliseconds(500);

    private readonly ILogger _logger = services.Loggers.CreateLogger<RabbitMqSource>();
    private RabbitMqSession? _session;
    private string? _problem;

    public string? Problem => Volatile.Read(ref _problem);

    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        try
        {
            await using IConnection connection = await options.ConnectAsync(cancellationToken);
            foreach (string queue in (string[])[options.Queue, options.DeadLetters])
            {
                // One channel per queue, because the broker closes the channel when the queue is missing.
                await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken);
                if (options.Declare)
                {
                    // RabbitMQ 4 drops a message after 20 deliveries unless the queue says otherwise.
                    Dictionary<string, object?> quorum = new(StringComparer.Ordinal) { ["x-queue-type"] = "quorum", ["x-delivery-limit"] = 1_000 };
                    await channel.QueueDeclareAsync(queue, durable: true, exclusive: false, autoDelete: false, quorum, cancellationToken: cancellationToken);
                }
                else
                {
                    await channel.QueueDeclarePassiveAsync(queue, cancellationToken);
                }
            }
        }
        catch (Exception exception) when (RabbitMqFaults.IsBrokers(exception))
        {
            if (RabbitMqFaults.Refusal(exception, options) is { } refusal)
            {
                throw refusal;
            }

            // The broker is only unreachable; receiving retries.
            Volatile.Write(ref _problem, exception.Message);
            _logger.LogWarning("Route {Route}: RabbitMQ is unreachable; receiving starts as soon as it answers: {Reason}", services.Route, exception.Message);
        }
    }

    public async Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving)
    {
        int failures = 0;
        while (!stopReceiving.IsCancellationRequested)
        {
            try
            {
                await ReceiveUntilBrokenAsync(intake, () => failures = 0, stopReceiving);
            }
            catch (OperationCanceledException) when (stopReceiving.IsCancellationRequested)
            {
                return;
            }
            catch (Exception exception) when (RabbitMqFaults.IsBrokers(exception))
            {
                TimeSpan wait = Backoff.After(++failures, MinWait);
                Volatile.Write(ref _problem, exception.Message);
                _logger.LogWarning("Route {Route}: receiving from RabbitMQ failed; retry in {Seconds:0.0} s: {Reason}", services.Route, wait.TotalSeconds, exception.Message);
                await Task.Delay(wait, services.Time, stopReceiving).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    /// <summary>Requeues the messages that wait for a redelivery delay, and closes the connection.</summary>
    public async Task CloseAsync(CancellationToken cancellationToken)
    {
        if (_session is { } session)
        {
            await session.CloseAsync(cancellationToken);
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_session is { } session)
        {
            _session = null;
            await session.DisposeAsync();
        }
    }

    private async Task ReceiveUntilBrokenAsync(IMessageIntake intake, Action connected, CancellationToken stopReceiving)
    {
        // A paused route has no slots, so the broker must not send it messages.
        SlotLease slots = await intake.ReserveAsync(1, services.Concurrency, stopReceiving);
        try
        {
            await DisposeAsync();
            RabbitMqSession session = await RabbitMqSession.OpenAsync(options, services.Concurrency, services.Time, _logger, stopReceiving);
            _session = session;
            await session.StartConsumingAsync(stopReceiving);
            connected();
            Volatile.Write(ref _problem, null);
            while (await session.Arrived.WaitToReadAsync(stopReceiving))
            {
                if (slots.Count == 0)
                {
                    slots.Dispose();
                    slots = await ReserveAsync(intake, session, stopReceiving);
                }

                if (session.Arrived.TryRead(out RabbitMqMessage? message))
                {
                    slots.Accept(message);
                }
            }
        }
        finally
        {
            slots.Dispose();
            if (stopReceiving.IsCancellationRequested && _session is { } session)
            {
                await session.StopConsumingAsync();
            }
        }
    }

    /// <summary>Waits for slots. Deliveries that have arrived wait too, but at most for MaxHoldTime. After that they are requeued, and consuming stops until there are slots.</summary>
    private async Task<SlotLease> ReserveAsync(IMessageIntake intake, RabbitMqSession session, CancellationToken stopReceiving)
    {
        using CancellationTokenSource limit = new(options.MaxHoldTime, services.Time);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, stopReceiving);
        try
        {
            return await intake.ReserveAsync(1, services.Concurrency, either.Token);
        }
        catch (OperationCanceledException) when (!stopReceiving.IsCancellationRequested)
        {
            await session.StopConsumingAsync();
            SlotLease slots = await intake.ReserveAsync(1, services.Concurrency, stopReceiving);
            try
            {
                await session.StartConsumingAsync(stopReceiving);
                return slots;
            }
            catch
            {
                slots.Dispose();
                throw;
            }
        }
    }
}
