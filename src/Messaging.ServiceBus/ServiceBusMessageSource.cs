using Messaging.Hosting;
using Messaging.Recoverability;
using Messaging.ServiceBus.Port;
using Messaging.Sources;
using Microsoft.Extensions.Logging;

namespace Messaging.ServiceBus;

/// <summary>
/// Messages of a Service Bus queue or subscription, in PeekLock mode, without sessions. The client pushes, the route pulls:
/// <see cref="PumpRun"/> makes the two fit. See docs/explanation/settlement.md for the timeline. This file has the life cycle.
/// </summary>
internal sealed class ServiceBusMessageSource : IMessageSource
{
    public const string SourceName = "servicebus";

    private static readonly TimeSpan CheckLimit = TimeSpan.FromSeconds(15);

    // The library waits for open calls when it is disposed; one that never returns must not keep the process.
    private static readonly TimeSpan DisposeLimit = TimeSpan.FromSeconds(5);

    private static readonly Backoff RestartBackoff = new(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(30));

    // How soon a broker that did not answer is asked again; its answer makes the worker ready.
    private static readonly Backoff AskBackoff = new(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(30));

    private readonly IServiceBusPump _pump;
    private readonly int _calls;
    private readonly ServiceBusSourceOptions _options;
    private readonly TimeProvider _time;
    private readonly ServiceBusSourceLog _log;
    private readonly ReceiveHealth _health;
    private readonly MessageSettler _settler;
    private readonly LockKeeper _locks;
    private readonly InWorkMessages _inWork = new();

    // The end of the last run: its messages are settled then. Written by the loop, read by the close behind it.
    private Task _runEnding = Task.CompletedTask;
    private int _disposed;

    /// <param name="pump">The client; the source disposes it.</param>
    /// <param name="calls">Messages the pump hands out at once; at most the intake's slots.</param>
    /// <param name="options">Checked options.</param>
    /// <param name="services">The surroundings.</param>
    public ServiceBusMessageSource(IServiceBusPump pump, int calls, ServiceBusSourceOptions options, SourceServices services)
    {
        _pump = pump;
        _calls = calls;
        _options = options;
        _time = services.Time;
        _log = new ServiceBusSourceLog(services.Loggers.CreateLogger<ServiceBusMessageSource>(), services.Route, services.Time);
        _health = new ReceiveHealth(_log, services.Time);
        _settler = new MessageSettler(services.Route, options.Destination, options.DoneIds, _log, services.Time);
        _locks = new LockKeeper(_log, services.Time);
    }

    public string Name => SourceName;

    public string? Problem => _health.Problem;

    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        switch (await AskAsync(cancellationToken))
        {
            case { IsRefusal: true } refusal:
                throw new StartupException($"Service Bus {_options.Entity}: {Advice(refusal.Kind)} {refusal.Message}", refusal.Kind == ServiceBusFaultKind.Unauthorized ? ExitCodes.NoPermission : ExitCodes.Unavailable);
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
        Task asking = AskWhileInDoubtAsync(ending.Token);
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
            await asking.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>Waits for the settlements under way. A message that is not settled by the end is redelivered when its lock ends.</summary>
    public Task CloseAsync(CancellationToken cancellationToken) => _runEnding.WaitAsync(cancellationToken);

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

    private static string Advice(ServiceBusFaultKind kind) => kind switch
    {
        ServiceBusFaultKind.NotFound => "there is no such entity in the namespace; check Sources:ServiceBus:Queue, or Topic and Subscription.",
        ServiceBusFaultKind.Disabled => "the entity is disabled; enable it.",
        _ => "the credentials are refused; they need the right Listen (role Azure Service Bus Data Receiver) on the entity.",
    };

    /// <summary>Asks the broker whether it is there.</summary>
    /// <returns>Why it did not answer; null when it did.</returns>
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
            return new ServiceBusFault(ServiceBusFaultKind.Transient, $"no answer within {CheckLimit}");
        }
        catch (Exception exception) when (exception is not OperationCanceledException)
        {
            // Whatever the client throws: the broker is asked again.
            return ServiceBusFaults.FromException(exception);
        }
    }

    /// <summary>An idle queue brings no message that would show that receiving works again, so the broker is asked.</summary>
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
            await _runEnding.WaitAsync(stopReceiving);
            int slots = await intake.ReserveAsync(1, _calls, stopReceiving);
            PumpRun run = new(intake, slots, _inWork, _settler, _locks, _health, _log, _time, _options);
            await RunAsync(run, stopReceiving);
            failures = run.HasReceived ? 1 : failures + 1;
            TimeSpan rest = RestartBackoff.After(failures, TimeSpan.FromSeconds(1));
            _log.Resting(rest);
            await Task.Delay(rest, _time, stopReceiving);
        }
    }

    /// <summary>Runs the pump until it breaks or receiving stops; messages in flight then are still settled, under their locks.</summary>
    private async Task RunAsync(PumpRun run, CancellationToken stopReceiving)
    {
        try
        {
            await _pump.StartAsync(run, stopReceiving);
            await run.Broken.WaitAsync(stopReceiving);
        }
        catch (ServiceBusFaultException exception)
        {
            _health.Failed(exception.Fault);
        }
        finally
        {
            // In this order: calls that go on receiving while the run gives everything back would count deliveries up.
            _runEnding = StopAsync(run);
            run.End();
        }
    }

    private async Task StopAsync(PumpRun run)
    {
        try
        {
            await _pump.StopAsync(CancellationToken.None);
        }
        catch (ServiceBusFaultException exception)
        {
            _log.CallFailed(PumpActivity.Receive, exception.Message);
        }

        await run.SettledAsync();
    }
}
