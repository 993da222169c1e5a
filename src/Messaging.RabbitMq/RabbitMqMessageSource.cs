using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sources;
using RabbitMQ.Client;

namespace Quayside.Messaging.RabbitMq;

/// <summary>The messages of one queue. The prefetch limits what the broker sends; what has arrived waits for slots.</summary>
internal sealed class RabbitMqMessageSource : IMessageSource
{
    private static readonly Backoff Backoff = new(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(30));
    private static readonly TimeSpan MinWait = TimeSpan.FromMilliseconds(500);

    // Slots are in use for moments while a route is busy, and for longer only while it is paused.
    private static readonly TimeSpan MinWaitForSlots = TimeSpan.FromMinutes(1);

    private readonly RabbitMqSourceOptions _options;
    private readonly SourceServices _services;
    private readonly SessionSource _parts;
    private readonly PresentedCertificate? _certificate;
    private RabbitMqSession? _session;
    private volatile string? _problem = "RabbitMQ has not answered yet.";
    private int _failures;

    public RabbitMqMessageSource(RabbitMqSourceOptions options, SourceServices services)
    {
        _options = options;
        _services = services;
        RabbitMqLog log = new(services.Loggers.CreateLogger<RabbitMqMessageSource>(), services.Route, services.Time);
        DeliveryLimit limit = new(options, log, services.Time);
        _parts = new SessionSource(options, new DeadLetterPublisher(options, log, services.Time), new ReturnCounts(), limit, services.Time, log);

        // Each connection reads the files anew; this tells of their end.
        _certificate = options.ClientCertificate is not { } file ? null
            : new PresentedCertificate(
                $"{RabbitMqSourceOptions.Section}:{nameof(options.ClientCertificate)}",
                services.Route,
                file,
                options.ClientCertificateKey,
                password: null,
                services.Time,
                services.Loggers.CreateLogger<RabbitMqMessageSource>());
    }

    public string? Problem => _problem ?? _parts.Letters.Problem;

    public string? Warning => _parts.Limit.Warning;

    /// <inheritdoc/>
    public async ValueTask<long?> CountDeadLettersAsync(CancellationToken cancellationToken) =>
        _options.DeadLetterExchange is not null || _session is not { } session
            ? null
            : await session.CountAsync(_options.DeadLetters, cancellationToken);

    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        try
        {
            await using IConnection connection = await _options.ConnectAsync("checking", cancellationToken);
            foreach (string queue in await RabbitMqBroker.CheckQueuesAsync(
                connection, _options,
                _options.DeadLetterExchange is not null ? [_options.Queue] : [_options.Queue, _options.DeadLetters],
                cancellationToken))
            {
                _parts.Log.Created(queue);
            }

            await RabbitMqBroker.CheckConsumeAsync(connection, _options.Queue, cancellationToken);
            _parts.Limit.Found(await RabbitMqBroker.FindDeliveryLimitAsync(connection, _options.Queue, cancellationToken));
            if (_options.DeadLetterExchange is { } exchange)
            {
                await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken);
                await channel.ExchangeDeclarePassiveAsync(exchange, cancellationToken);
            }

            _problem = null;
        }
        catch (Exception exception) when (RabbitMqFault.IsOne(exception)
            || (exception is OperationCanceledException && !cancellationToken.IsCancellationRequested))
        {
            RabbitMqFault fault = RabbitMqFault.Of(exception);
            if (fault.Remedy is not null)
            {
                throw fault.ToStartupException(_options);
            }

            // It is only unreachable; receiving retries.
            _problem = fault.Text;
            _parts.Log.Unreachable(_options.Address, fault);
        }
    }

    public async Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving)
    {
        while (!stopReceiving.IsCancellationRequested)
        {
            try
            {
                await ReceiveUntilBrokenAsync(intake, stopReceiving);
            }
            catch (OperationCanceledException) when (stopReceiving.IsCancellationRequested)
            {
                return;
            }
            catch (Exception exception) when (RabbitMqFault.IsOne(exception) || exception is OperationCanceledException)
            {
                RabbitMqFault fault = RabbitMqFault.Of(exception);
                TimeSpan wait = Backoff.After(++_failures, MinWait);
                _problem = fault.ToString();
                _parts.Log.ReceiveFailed(fault, wait);
                await Task.Delay(wait, _services.Time, stopReceiving).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    /// <summary>Requeues the messages that wait for a redelivery, sends the last acknowledgements, and closes the connection.</summary>
    public async Task CloseAsync(CancellationToken cancellationToken)
    {
        if (_session is { } session)
        {
            await session.CloseAsync(cancellationToken);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await EndSessionAsync();
        await _parts.Letters.DisposeAsync();
        _certificate?.Dispose();
    }

    private async Task ReceiveUntilBrokenAsync(IMessageIntake intake, CancellationToken stopReceiving)
    {
        // A paused route has no slots, so the broker must not send it messages.
        (await intake.ReserveAsync(1, 1, stopReceiving)).Dispose();
        await EndSessionAsync();
        int prefetch = Math.Min(_options.Prefetch ?? _services.Concurrency, _services.Concurrency);
        RabbitMqSession session = await RabbitMqSession.OpenAsync(prefetch, _parts, stopReceiving);
        _session = session;
        try
        {
            await session.StartConsumingAsync(stopReceiving);
            _parts.Letters.Reset();
            Recovered();
            using CancellationTokenSource ended = CancellationTokenSource.CreateLinkedTokenSource(stopReceiving, session.Ended);
            while (await session.WaitAsync(stopReceiving))
            {
                _failures = 0;
                using SlotLease slots = await ReserveAsync(intake, session, ended.Token);
                session.Accept(slots);
            }
        }
        catch (OperationCanceledException) when (session.Ended.IsCancellationRequested && !stopReceiving.IsCancellationRequested)
        {
            // Throws what ended it. A paused route would otherwise learn of it, and show it, only when it has slots again.
            await session.WaitAsync(stopReceiving);
        }
        finally
        {
            if (stopReceiving.IsCancellationRequested)
            {
                await session.StopConsumingAsync();
            }
        }
    }

    /// <summary>
    /// Waits for slots. Deliveries that have arrived wait too, but for MaxHoldTime at most, or a minute. After that they are requeued, and consuming stops
    /// until there are slots.
    /// </summary>
    private async Task<SlotLease> ReserveAsync(IMessageIntake intake, RabbitMqSession session, CancellationToken stopReceiving)
    {
        int wanted = Math.Max(session.Arrived, 1);
        ValueTask<SlotLease> free = intake.ReserveAsync(1, wanted, stopReceiving);
        if (free.IsCompletedSuccessfully)
        {
            return free.Result;
        }

        Task<SlotLease> waiting = free.AsTask();
        try
        {
            return await waiting.WaitAsync(_options.MaxHoldTime > MinWaitForSlots ? _options.MaxHoldTime : MinWaitForSlots, _services.Time);
        }
        catch (TimeoutException)
        {
            await session.StopConsumingAsync();
        }

        SlotLease slots = await waiting;
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

    private void Recovered()
    {
        if (_problem is not null)
        {
            _problem = null;
            _parts.Log.ReceiveRecovered();
        }
    }

    private async Task EndSessionAsync()
    {
        if (_session is { } session)
        {
            _session = null;
            await session.DisposeAsync();
        }
    }
}
