using System.Collections.Concurrent;
using Messaging.AzureServiceBus.Port;

namespace Worker.Tests.ServiceBus;

/// <summary>
/// Works like the library's processor: several loops that each receive one message, call the handler, and receive the next.
/// A loop that is stopped while it waits keeps its link credit: until the link closes, the broker still locks one message for it.
/// </summary>
internal sealed class FakePump(FakeBus bus, PumpSettings settings) : IServiceBusPump
{
    private readonly ConcurrentDictionary<FakeLockedMessage, DateTimeOffset> _handled = new();
    private readonly ConcurrentBag<Task> _credits = [];
    private CancellationTokenSource? _link;
    private CancellationTokenSource? _running;
    private Task _loops = Task.CompletedTask;
    private ITimer? _renewal;
    private IPumpHandler? _handler;
    private int _begun;
    private int _returned;

    public PumpSettings Settings { get; } = settings;

    public int Starts { get; private set; }

    public int Stops { get; private set; }

    /// <summary>Calls of the handler that have come to their first wait, or have returned.</summary>
    public int Begun => Volatile.Read(ref _begun);

    /// <summary>Calls of the handler that have returned.</summary>
    public int Returned => Volatile.Read(ref _returned);

    public bool IsDisposed { get; private set; }

    /// <summary>True from the start until the link is closed.</summary>
    public bool IsLinkOpen => _link is { IsCancellationRequested: false };

    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        if (bus.Gate is { } gate)
        {
            await gate.WaitAsync(cancellationToken);
        }

        if (bus.CheckFault is { } fault)
        {
            throw new ServiceBusFaultException(fault);
        }
    }

    public Task StartAsync(IPumpHandler handler, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        _running.ShouldBeNull("A processor that runs cannot be started.");
        Starts++;
        if (bus.StartFault is { } fault)
        {
            throw new ServiceBusFaultException(fault);
        }

        _handler = handler;
        _running = new CancellationTokenSource();
        _link = new CancellationTokenSource();
        CancellationToken stop = _running.Token;
        CancellationToken closed = _link.Token;
        _renewal = bus.Time.CreateTimer(_ => Renew(), state: null, FakeBus.LockDuration / 2, FakeBus.LockDuration / 2);
        _loops = Task.WhenAll(Enumerable.Range(0, Settings.MaxConcurrentCalls).Select(_ => Task.Run(() => LoopAsync(stop, closed), CancellationToken.None)));
        return Task.CompletedTask;
    }

    public async Task StopAsync(CancellationToken cancellationToken)
    {
        Stops++;
        if (_running is { } running)
        {
            await running.CancelAsync();
            await _loops;
            _renewal?.Dispose();
            if (bus.CloseGate is { } gate)
            {
                await gate;
            }

            await _link!.CancelAsync();
            await Task.WhenAll(_credits);
            _running = null;
            if (bus.StopFailure is { } failure)
            {
                bus.StopFailure = null;
                throw failure;
            }
        }
    }

    /// <summary>Ends it with its process: it receives, renews and settles nothing more, and its locks end by themselves.</summary>
    public void Kill()
    {
        _renewal?.Dispose();
        _running?.Cancel();
        _link?.Cancel();
    }

    public async ValueTask DisposeAsync()
    {
        IsDisposed = true;
        await StopAsync(CancellationToken.None);
    }

    private async Task LoopAsync(CancellationToken stop, CancellationToken closed)
    {
        while (!stop.IsCancellationRequested)
        {
            try
            {
                await HandleAsync(await bus.TakeAsync(stop, bus.ReceiveGate));
            }
            catch (OperationCanceledException) when (stop.IsCancellationRequested)
            {
                _credits.Add(Task.Run(() => UseCreditAsync(closed), CancellationToken.None));
                return;
            }
            catch (ServiceBusFaultException exception)
            {
                _handler!.Failed(PumpActivity.Receive, exception.Fault);
                await Task.Delay(20, CancellationToken.None);
            }
        }
    }

    private async Task UseCreditAsync(CancellationToken closed)
    {
        try
        {
            FakeLockedMessage message = await bus.TakeAsync(closed);
            await Task.Delay(Timeout.Infinite, closed).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            bus.Release(message);
        }
        catch (Exception exception) when (exception is OperationCanceledException or ServiceBusFaultException)
        {
            // No message arrived, or none can arrive.
        }
    }

    private async Task HandleAsync(FakeLockedMessage message)
    {
        _handled[message] = bus.Time.GetUtcNow();
        try
        {
            Task handling = _handler!.HandleAsync(message);
            Interlocked.Increment(ref _begun);
            await handling;
            if (Settings.AutoComplete)
            {
                await message.CompleteAsync(CancellationToken.None);
            }
        }
        catch (Exception exception)
        {
            _handler!.Failed(PumpActivity.Handle, new ServiceBusFault(ServiceBusFaultKind.Other, exception.Message));
            await message.AbandonAsync(CancellationToken.None);
        }
        finally
        {
            _handled.TryRemove(message, out _);
            Interlocked.Increment(ref _returned);
        }
    }

    private void Renew()
    {
        foreach ((FakeLockedMessage message, DateTimeOffset since) in _handled)
        {
            if (bus.RenewFault is { } fault)
            {
                _handler!.Failed(PumpActivity.RenewLock, fault);
            }
            else if (bus.Time.GetUtcNow() - since < Settings.MaxLockRenewal)
            {
                bus.Renew(message);
            }
        }

        bus.Pulse();
    }
}
