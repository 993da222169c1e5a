using Messaging.Hosting;
using Messaging.Recoverability;
using Messaging.AzureServiceBus.Port;
using Messaging.Sources;
using Messaging.Telemetry;
using Microsoft.Extensions.Logging;

namespace Messaging.AzureServiceBus;

/// <summary>
/// Messages of a Service Bus queue or subscription, in PeekLock mode, without sessions. The client pushes and the route pulls;
/// <see cref="PumpRun"/> connects the two. The timeline is in docs/explanation/settlement.md.
/// </summary>
internal sealed class ServiceBusMessageSource : IMessageSource
{
    public const string SourceName = "servicebus";

    // Below the route's limit of 10 s for a check at start, so that the source reports what is wrong.
    private static readonly TimeSpan CheckLimit = TimeSpan.FromSeconds(9);

    // Disposing the client waits for open calls; one that never returns must not keep the process running.
    private static readonly TimeSpan DisposeLimit = TimeSpan.FromSeconds(5);

    private static readonly Backoff RestartBackoff = new(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(30));

    // The pause between checks of a broker that did not answer; its answer makes the worker ready.
    private static readonly Backoff AskBackoff = new(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(30));

    private readonly IServiceBusPump _pump;
    private readonly int _calls;
    private readonly ServiceBusSourceOptions _options;
    private readonly TimeProvider _time;
    private readonly ServiceBusSourceLog _log;
    private readonly ReceiveHealth _health;
    private readonly SettlementWatch _settlements;
    private readonly MessageSettler _settler;
    private readonly LockKeeper _locks;
    private readonly InWorkMessages _inWork = new();

    // Ends when the pump has stopped. Written by the receive loop.
    private Task _stopping = Task.CompletedTask;

    // Each ends when a run's messages are settled, which may be hours after the run. Written by the receive loop, read by CloseAsync after it.
    private readonly List<Task> _endings = [];
    private int _disposed;

    /// <summary>Owns <paramref name="pump"/>, which runs <paramref name="calls"/> calls at once: at most the intake's slots.</summary>
    public ServiceBusMessageSource(IServiceBusPump pump, int calls, ServiceBusSourceOptions options, SourceServices services)
    {
        _pump = pump;
        _calls = calls;
        _options = options;
        _time = services.Time;
        _log = new ServiceBusSourceLog(services.Loggers.CreateLogger<ServiceBusMessageSource>(), services.Route, services.Time);
        _health = new ReceiveHealth(_log);
        _settlements = new SettlementWatch(_log, services.Time);
        _settler = new MessageSettler(services.Route, options.Destination, options.DoneIds, _settlements, _log, services.Time);
        _locks = new LockKeeper(_log, services.Time);
    }

    public string Name => SourceName;

    public string? Problem => _health.Problem ?? _settlements.Problem;

    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        switch (await AskAsync(cancellationToken))
        {
            case { IsRefusal: true } refusal:
                throw new StartupException($"Service Bus {_options.Entity}: {Advice(refusal.Kind)} {refusal.Message}", ExitCodeOf(refusal.Kind));
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
        Task watching = Task.WhenAll(AskWhileInDoubtAsync(ending.Token), _settlements.RunAsync(ending.Token));
        try
        {
            await RunAgainAndAgainAsync(intake, stopReceiving);
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
            await _pump.DisposeAsync().AsTask().WaitAsync(DisposeLimit, _time);
        }
        catch (Exception exception) when (exception is TimeoutException or ServiceBusFaultException)
        {
            _log.CallFailed(PumpActivity.Receive, exception.Message);
        }
    }

    private static int ExitCodeOf(ServiceBusFaultKind kind) => kind switch
    {
        ServiceBusFaultKind.Unauthorized => ExitCodes.NoPermission,
        ServiceBusFaultKind.SessionsRequired => ExitCodes.Configuration,
        _ => ExitCodes.Unavailable,
    };

    private static string Advice(ServiceBusFaultKind kind) => kind switch
    {
        ServiceBusFaultKind.NotFound => "there is no such entity in the namespace; check Sources:ServiceBus:Queue, or Topic and Subscription.",
        ServiceBusFaultKind.Disabled => "the entity is disabled; enable it.",
        ServiceBusFaultKind.SessionsRequired => "the entity requires sessions, which the worker does not support; use an entity without sessions.",
        _ => "the credentials are refused; check the key, the signature or the identity, which need the right Listen (role Azure Service Bus Data Receiver) on the entity.",
    };

    /// <summary>Checks whether the broker answers.</summary>
    /// <returns>The fault; null when the broker answered.</returns>
    private async Task<ServiceBusFault?> AskAsync(CancellationToken cancellationToken)
    {
        using CancellationTokenSource limit = new(CheckLimit, _time);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            await _pump.CheckAsync(either.Token).WaitAsync(either.Token);
            return null;
        }
        catch (ServiceBusFaultException exception)
        {
            return exception.Fault;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return new ServiceBusFault(ServiceBusFaultKind.Transient, $"no answer within {DurationText.Of(CheckLimit)}");
        }
        catch (Exception exception) when (exception is not OperationCanceledException)
        {
            // Any other exception of the client: the check is repeated.
            return ServiceBusFaults.FromException(exception);
        }
    }

    /// <summary>Checks the broker while receiving is in doubt, because an idle queue delivers no message that would show the recovery.</summary>
    private async Task AskWhileInDoubtAsync(CancellationToken cancellationToken)
    {
        for (int attempt = 1; ; attempt++)
        {
            Task doubt = _health.InDoubtAsync(cancellationToken);
            attempt = doubt.IsCompleted ? attempt : 1;
            await doubt;
            await Task.Delay(AskBackoff.After(attempt, TimeSpan.FromSeconds(1)), _time, cancellationToken);
            int failures = _health.Failures;
            if (await AskAsync(cancellationToken) is null)
            {
                _health.Answered(failures);
            }
        }
    }

    private async Task RunAgainAndAgainAsync(IMessageIntake intake, CancellationToken stopReceiving)
    {
        int failures = 0;
        while (!stopReceiving.IsCancellationRequested)
        {
            // Not for the settlements: one held message would keep the route from receiving for hours. A pump that failed to stop may start again.
            await _stopping.WaitAsync(stopReceiving).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            stopReceiving.ThrowIfCancellationRequested();
            int slots = await intake.ReserveAsync(1, _calls, stopReceiving);
            PumpRun run = new(intake, slots, _inWork, _settler, _locks, _health, _log, _time, _options);
            await RunAsync(run, stopReceiving);
            failures = run.HasReceived ? 1 : failures + 1;
            TimeSpan rest = RestartBackoff.After(failures, TimeSpan.FromSeconds(1));
            _log.Resting(rest);
            await Task.Delay(rest, _time, stopReceiving);
        }
    }

    /// <summary>Runs the pump until it fails or receiving stops. Messages in flight are then still settled, under their locks.</summary>
    private async Task RunAsync(PumpRun run, CancellationToken stopReceiving)
    {
        try
        {
            await _pump.StartAsync(run, stopReceiving);
            _health.Started();
            await run.Broken.WaitAsync(stopReceiving);
        }
        catch (ServiceBusFaultException exception)
        {
            _health.Failed(exception.Fault);
        }
        finally
        {
            _health.Stopped();

            // Stop first: calls that still receive while the run abandons messages would raise their delivery counts.
            _stopping = StopAsync();
            run.End();
            _endings.RemoveAll(static ending => ending.IsCompleted);
            _endings.Add(EndAsync(run, _stopping));
        }
    }

    private async Task StopAsync()
    {
        try
        {
            await _pump.StopAsync(CancellationToken.None);
        }
        catch (Exception exception)
        {
            // Any exception: messages in flight are settled, and the next run starts, all the same.
            _log.CallFailed(PumpActivity.Receive, exception.Message);
        }
    }

    private async Task EndAsync(PumpRun run, Task stopping)
    {
        await stopping.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        try
        {
            await run.SettledAsync();
        }
        catch (Exception exception)
        {
            // Messages that are not settled are redelivered when their locks end.
            _log.CallFailed(PumpActivity.Settle, exception.Message);
        }
    }
}
