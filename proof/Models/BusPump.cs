using Messaging.AzureServiceBus.Port;
using Proof.Simulation;

namespace Proof.Models;

/// <summary>A pump over a <see cref="BusModel"/>: delivers messages and renews their locks while they are processed.</summary>
internal sealed class BusPump(BusModel bus, ProcessTime process, int maxCalls) : IServiceBusPump
{
    private static readonly TimeSpan ReceiveInterval = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan RenewInterval = TimeSpan.FromSeconds(12);

    private readonly ServiceBusFault _fault = new(ServiceBusFaultKind.Transient, "The connection broke.");
    private IPumpHandler? _handler;
    private TaskCompletionSource? _stopped;
    private int _calls;

    public Task CheckAsync(CancellationToken cancellationToken) => CallAsync(() => { }, cancellationToken);

    public Task StartAsync(IPumpHandler handler, CancellationToken cancellationToken)
    {
        _handler = handler;
        _stopped = null;
        Receive();
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken)
    {
        _stopped = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        EndWhenIdle();
        return _stopped.Task;
    }

    public ValueTask DisposeAsync() => default;

    /// <summary>One call to the broker, with the network's faults.</summary>
    public async Task CallAsync(Action effect, CancellationToken cancellationToken)
    {
        Random random = bus.World.Random;
        FaultRates faults = bus.World.QueueFaults;
        double fate = random.NextDouble();
        TimeSpan latency = random.NextDouble() < faults.Slow ? TimeSpan.FromMilliseconds(random.Next(100, 15_000)) : TimeSpan.FromMilliseconds(1 + (random.NextDouble() * 20));
        if (latency > TimeSpan.FromMilliseconds(50))
        {
            bus.World.Meets(Fault.BusIsSlow);
        }

        await Task.Delay(latency, process, cancellationToken);
        if (fate < faults.LostRequest + faults.Error)
        {
            bus.World.Meets(Fault.BusBreaks);
            throw new ServiceBusFaultException(_fault);
        }

        effect();
        await Task.Delay(latency, process, cancellationToken);
        if (fate > 1 - faults.LostAnswer)
        {
            bus.World.Meets(Fault.BusLosesAnswer);
            throw new ServiceBusFaultException(_fault);
        }
    }

    private void Receive() => bus.World.Time.Schedule(ReceiveInterval, () =>
    {
        if (!process.IsAlive || _stopped is not null)
        {
            return;
        }

        FaultRates faults = bus.World.QueueFaults;
        if (bus.World.Random.NextDouble() < faults.Error / 10)
        {
            bus.World.Meets(Fault.BusFailsReceive);
            _handler!.Failed(PumpActivity.Receive, _fault);
        }
        else
        {
            while (_calls < maxCalls && bus.Lock() is { } message)
            {
                // The connection may break while a message is on its way: the message then stays locked, but no process has it.
                if (bus.World.Random.NextDouble() >= faults.LostAnswer)
                {
                    _calls++;
                    _ = HandleAsync(message);
                }
                else
                {
                    bus.World.Meets(Fault.BusLosesMessage);
                }
            }
        }

        Receive();
    });

    private async Task HandleAsync(QueuedMessage message)
    {
        BusMessage locked = new(bus, this, message);
        using CancellationTokenSource returned = new();
        Task renewing = RenewAsync(locked, returned.Token);
        try
        {
            await _handler!.HandleAsync(locked);
        }
        catch (Exception)
        {
            await locked.AbandonAsync(CancellationToken.None).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        await returned.CancelAsync();
        await renewing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _calls--;
        EndWhenIdle();
    }

    private async Task RenewAsync(BusMessage message, CancellationToken returned)
    {
        while (true)
        {
            await Task.Delay(RenewInterval, process, returned);
            try
            {
                await message.RenewAsync(returned);
            }
            catch (ServiceBusFaultException exception)
            {
                _handler!.Failed(PumpActivity.RenewLock, exception.Fault);
            }
        }
    }

    private void EndWhenIdle()
    {
        if (_calls == 0)
        {
            _stopped?.TrySetResult();
        }
    }
}
