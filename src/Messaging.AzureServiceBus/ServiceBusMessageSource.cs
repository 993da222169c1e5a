using Microsoft.Extensions.Logging;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>
/// Messages of a Service Bus queue or subscription, in PeekLock mode. It receives in runs (<see cref="ReceiveRun"/>); one that
/// fails is followed by another. The timeline is in docs/explanation/settlement.md.
/// </summary>
internal sealed class ServiceBusMessageSource : IMessageSource
{
    public const string SourceName = "servicebus";

    // Below the route's limit of 10 s for a check at start, so that the source reports what is wrong.
    private static readonly TimeSpan CheckLimit = TimeSpan.FromSeconds(9);

    // Disposing the client waits for open calls; one that never returns must not keep the process running.
    private static readonly TimeSpan DisposeLimit = TimeSpan.FromSeconds(5);

    private static readonly Backoff RestartBackoff = new(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(30));

    // Until a peek, when no message arrives: with the limit of a check, a silent broker is known within a minute. An idle queue costs about 2,000
    // peeks per day.
    private static readonly TimeSpan MaxQuiet = TimeSpan.FromSeconds(45);

    private static readonly TimeSpan WatchInterval = TimeSpan.FromSeconds(1);

    // The pause between checks of a broker that did not answer; its answer makes the worker ready.
    private static readonly Backoff AskBackoff = new(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(30));

    private readonly ServiceBusEntity _entity;
    private readonly int _calls;
    private readonly ServiceBusSourceOptions _options;
    private readonly TimeProvider _time;
    private readonly ServiceBusSourceLog _log;
    private readonly ReceiveHealth _health;
    private readonly SettlementWatch _settlements;
    private readonly MessageSettler _settler;
    private readonly InWorkMessages _inWork;

    // Ends when the last run has closed its links. Written by the receive loop.
    private Task _stopping = Task.CompletedTask;

    // Each ends when a run's messages are settled, which may be hours after the run. Written by the receive loop, read by CloseAsync after it.
    private readonly List<Task> _endings = [];
    private int _disposed;

    /// <summary>Owns <paramref name="entity"/>; <paramref name="calls"/> receive and handle messages at the same time: at most the intake's slots.</summary>
    public ServiceBusMessageSource(ServiceBusEntity entity, int calls, ServiceBusSourceOptions options, SourceServices services)
    {
        _entity = entity;
        _calls = calls;
        _options = options;
        _time = services.Time;
        _log = new ServiceBusSourceLog(services.Loggers.CreateLogger<ServiceBusMessageSource>(), services.Route, services.Time);
        _health = new ReceiveHealth(_log);
        _settlements = new SettlementWatch(_log, services.Time);
        _settler = new MessageSettler(services.Route, options.Destination, options.DoneIds, _settlements, _log, services.Time);
        _inWork = new InWorkMessages(_settler.IsDone);
    }

    public string? Problem => _health.Problem ?? _settlements.Problem;

    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        switch (await AskAsync(_entity.CheckAsync, cancellationToken))
        {
            case { IsRefusal: true } refusal:
                throw refusal.ToStartupException(_options.Entity, "the right Listen (role Azure Service Bus Data Receiver)");
            case { } fault:
                _health.Unreachable(fault.Message);
                break;
            case null:
                _health.Answered(failures: 0);
                break;
        }
    }

    public async Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving)
    {
        using CancellationTokenSource ending = CancellationTokenSource.CreateLinkedTokenSource(stopReceiving);
        Task watching = Task.WhenAll(WatchAsync(ending.Token), _settlements.RunAsync(ending.Token));
        try
        {
            await RunUntilStoppedAsync(intake, stopReceiving);
        }
        catch (OperationCanceledException) when (stopReceiving.IsCancellationRequested)
        {
        }
        finally
        {
            await ending.CancelAsync();
            await watching.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>Waits for the running settlements. A message that is not settled by the end is redelivered when its lock ends.</summary>
    public Task CloseAsync(CancellationToken cancellationToken) => Task.WhenAll(_endings).WaitAsync(cancellationToken);

    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        try
        {
            await _entity.DisposeAsync().AsTask().WaitAsync(DisposeLimit, _time);
        }
        catch (Exception exception)
        {
            _log.CallFailed("closing the connections", exception);
        }
    }

    /// <summary>Checks whether the broker answers.</summary>
    /// <returns>The fault; null when the broker answered.</returns>
    private async Task<ServiceBusFault?> AskAsync(Func<CancellationToken, Task> ask, CancellationToken cancellationToken)
    {
        using CancellationTokenSource limit = new(CheckLimit, _time);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            await ask(either.Token).WaitAsync(either.Token);
            return null;
        }
        catch (OperationCanceledException) when (limit.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            return new ServiceBusFault(ServiceBusFaultKind.Transient, $"no answer within {DurationText.Of(CheckLimit)}");
        }
        catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
        {
            return ServiceBusFault.Of(exception);
        }
    }

    /// <summary>
    /// Asks the broker while receiving is in doubt, because an idle queue delivers no message that would show the recovery; and when it has fallen silent, as
    /// behind a firewall that drops the packets of a connection. The client ends a receive without a message, and a wait for a session, by its own clock, so
    /// neither shows that the broker answers.
    /// </summary>
    private async Task WatchAsync(CancellationToken cancellationToken)
    {
        int attempt = 0;
        for (long since = _time.GetTimestamp(); ;)
        {
            await Task.Delay(_health.IsInDoubt ? AskBackoff.After(++attempt, WatchInterval) : WatchInterval, _time, cancellationToken);
            TimeSpan quiet = _time.GetElapsedTime(since);
            if (_health.IsInDoubt)
            {
                int failures = _health.Failures;
                if (await AskAsync(_entity.CheckAsync, cancellationToken) is null && await PeekAsync(cancellationToken) is null)
                {
                    _health.Answered(failures);
                }
            }
            else
            {
                attempt = 0;
                if (!_health.TakeAnswer())
                {
                    if (quiet < MaxQuiet)
                    {
                        continue;
                    }

                    if (await PeekAsync(cancellationToken) is { } fault && !_health.TakeAnswer())
                    {
                        _health.Failed(
                            fault with
                            {
                                Message = $"Service Bus has not answered for {DurationText.Of(_time.GetElapsedTime(since))}; check the network, and firewalls "
                                    + $"between the worker and the namespace: {fault.Message}",
                            });
                    }
                }
            }

            since = _time.GetTimestamp();
        }
    }

    /// <summary>Peeks over the connection that receives, which needs no other right.</summary>
    /// <returns>Why there was no answer; null after any answer, also a refusal, which receiving reports itself.</returns>
    private async Task<ServiceBusFault?> PeekAsync(CancellationToken cancellationToken) =>
        await AskAsync(_entity.PeekAsync, cancellationToken) is { Kind: ServiceBusFaultKind.Transient } fault ? fault : null;

    private async Task RunUntilStoppedAsync(IMessageIntake intake, CancellationToken stopReceiving)
    {
        int failures = 0;
        while (!stopReceiving.IsCancellationRequested)
        {
            // Not for the settlements: one held message would keep the route from receiving for hours.
            await _stopping.WaitAsync(stopReceiving);
            SlotLease slots = await intake.ReserveAsync(1, _calls, stopReceiving);
            bool hasReceived = await RunAsync(intake, slots, stopReceiving);
            failures = hasReceived ? 1 : failures + 1;
            TimeSpan rest = RestartBackoff.After(failures, TimeSpan.FromSeconds(1));
            _log.Resting(rest);
            await Task.Delay(rest, _time, stopReceiving);
        }
    }

    /// <summary>Receives until that fails or is stopped. Messages in flight are then still settled, under their locks.</summary>
    /// <returns>True when the broker has delivered a message.</returns>
    private async Task<bool> RunAsync(IMessageIntake intake, SlotLease slots, CancellationToken stopReceiving)
    {
        RunLinks links;
        try
        {
            links = _entity.CreateLinks(_calls, _log);
        }
        catch
        {
            slots.Dispose();
            throw;
        }

        ReceiveRun run = new(intake, slots, links, _calls, _inWork, _settler, _health, _log, _time, _options);
        try
        {
            run.Start();
            _health.IsRunning = true;

            // A pause ends the run, whose idle calls would receive a message each.
            using CancellationTokenSource ended = CancellationTokenSource.CreateLinkedTokenSource(stopReceiving);
            await await Task.WhenAny(run.Broken, intake.WhenPausedAsync(ended.Token));
            await ended.CancelAsync();
            return run.HasReceived;
        }
        finally
        {
            _health.IsRunning = false;
            _stopping = run.StopAsync();
            _endings.RemoveAll(static ending => ending.IsCompleted);
            _endings.Add(EndAsync(run, _stopping));
        }
    }

    private static async Task EndAsync(ReceiveRun run, Task stopping)
    {
        await stopping;
        await run.SettledAsync();
    }
}
