using System.Text;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Intake;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Proof.Simulation;

/// <summary>
/// Between a source and its route: checks what holds for every source, its intake and the breaker, and adds what a source of foreign code may
/// do. Threads: the simulation's only one.
/// </summary>
internal sealed class ObservedSource(
    IMessageSource source, World world, FaultPlan plan, WorkerProcess process, TimeProvider time, int slots) : IMessageSource, IMessageIntake, ISlotOwner
{
    // The intake looks twice per second whether a probe is due.
    private static readonly TimeSpan ProbeDelay = TimeSpan.FromSeconds(1.5);

    // Recoverability:BreakerOpen, after which an unused probe may be replaced; a slot is granted somewhat before its source runs.
    private static readonly TimeSpan ProbePause = new RecoverabilityOptions().BreakerOpen - TimeSpan.FromSeconds(0.2);

    // Service Bus holds an abandoned message at most this long.
    private static readonly TimeSpan BusDelay = TimeSpan.FromSeconds(30);

    private readonly List<Waiter> _waiting = [];
    private MessageIntake? _intake;
    private int _reserved;
    private int _inFlight;
    private Probe? _probe;
    private long? _probeDueSince;

    public string? Problem => source.Problem;

    public Task CheckAsync(CancellationToken cancellationToken) => source.CheckAsync(cancellationToken);

    public Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving)
    {
        _intake = (MessageIntake)intake;
        Task receiving = source.ReceiveAsync(this, stopReceiving);
        return plan.HasForeignLoop ? Task.WhenAll(receiving, RunForeignLoopAsync(stopReceiving)) : receiving;
    }

    public Task DrainAsync(IMessageIntake intake, CancellationToken stopDraining) => source.DrainAsync(this, stopDraining);

    public Task CloseAsync(CancellationToken cancellationToken) => source.CloseAsync(cancellationToken);

    public ValueTask DisposeAsync() => source.DisposeAsync();

    // The intake

    public async ValueTask<SlotLease> ReserveAsync(int min, int max, CancellationToken cancellationToken)
    {
        Waiter waiter = new(min, cancellationToken);
        _waiting.Add(waiter);
        try
        {
            // By number from here on: its own lease replaces the intake's.
            int granted = (await _intake!.ReserveAsync(min, max, cancellationToken)).Count;
            Reserved(granted);
            return new SlotLease(this, granted);
        }
        finally
        {
            _waiting.Remove(waiter);
        }
    }

    public IntakeAnswer TryReserve(out SlotLease slot)
    {
        IntakeAnswer answer = _intake!.TryReserve(out slot);
        if (answer == IntakeAnswer.Reserved)
        {
            Reserved(1);
            slot = new SlotLease(this, 1);
        }

        return answer;
    }

    public void Release(int slots)
    {
        _reserved -= slots;
        if (_probe is { Message: null })
        {
            // Which of the slots was the probe's does not matter.
            _probe = null;
        }

        _intake!.Release(slots);
    }

    public void Accept(ReadOnlySpan<ReceivedMessage> messages)
    {
        ReceivedMessage[] observed = new ReceivedMessage[messages.Length];
        for (int i = 0; i < observed.Length; i++)
        {
            ObservedMessage message = new(this, messages[i]);
            Accepting(message, messages[i]);
            observed[i] = message;
        }

        _reserved -= observed.Length;
        _inFlight += observed.Length;
        _intake!.Accept(observed);
    }

    // The messages

    /// <summary>A held message begins another attempt.</summary>
    public void Retrying(ObservedMessage message)
    {
        if (process.Breaker.State == BreakerState.HalfOpen)
        {
            BeginProbe(message);
        }
    }

    /// <summary>An attempt at the message has ended.</summary>
    public void Attempted(ObservedMessage message)
    {
        if (_probe?.Message == message)
        {
            _probe = null;
        }
    }

    /// <summary>The route settles a message.</summary>
    /// <returns>True when the settlement has to throw once it is done.</returns>
    public bool Settling(ObservedMessage message, ReceivedMessage own, in Settlement settlement)
    {
        Attempted(message);
        if (KeyOf(message, own) is { } key)
        {
            world.Due.Remove(key);
            if (settlement.Kind == SettlementKind.Abandon)
            {
                TimeSpan delay = plan.Source == SourceKind.ServiceBus && settlement.Delay > BusDelay ? BusDelay : settlement.Delay;
                world.Due[key] = world.Time.Now + delay.Ticks;
            }
        }

        if (own is SqsReceivedMessage { Handle: var handle } && settlement.Kind == SettlementKind.Abandon)
        {
            // Of this delivery: what its calls have to ask for.
            world.Due[Encoding.UTF8.GetString(handle.Span)] = world.Time.Now + settlement.Delay.Ticks;
        }

        bool throws = world.SettleFaults > 0 && world.Random.NextDouble() < world.SettleFaults;
        if (throws)
        {
            world.Meets(Fault.SourceThrows);
        }

        return throws;
    }

    public void Settled() => _inFlight--;

    // The checks

    /// <summary>Called while nothing is ready to run.</summary>
    public void CheckAtRest()
    {
        if (_intake is null)
        {
            return;
        }

        int inFlight = _intake.InFlight;
        if (inFlight != _inFlight)
        {
            world.Fail($"{inFlight} slots have a message, but {_inFlight} messages are in flight");
        }

        if (_waiting.Exists(waiter => waiter.Token.IsCancellationRequested))
        {
            world.Fail("a source has cancelled its wait for slots, and still waits");
        }

        CheckGrants(inFlight);
        CheckProbes(inFlight);
        if (process.Breaker.State != BreakerState.HalfOpen)
        {
            // It has closed, or has opened again, after which there is another probe.
            _probe = null;
        }
    }

    private void CheckGrants(int inFlight)
    {
        if (_waiting.Count == 0 || process.Breaker.State != BreakerState.Closed || _intake!.Held > 0)
        {
            return;
        }

        int used = inFlight + _reserved;
        int free = Math.Min(slots - used, _intake.Limit - used);
        int needed = Math.Min(Math.Min(_waiting[0].Min, slots), _intake.Limit);
        if (free >= needed)
        {
            world.Fail($"a source waits for {needed} slots although {free} are free");
        }
    }

    private void CheckProbes(int inFlight)
    {
        bool isDue = process.Breaker.State != BreakerState.Closed && process.Breaker.NextProbe == TimeSpan.Zero
            && _reserved == 0 && inFlight == _intake!.Held && (inFlight > 0 || _waiting.Count > 0) && !process.IsStopping;
        _probeDueSince = isDue ? _probeDueSince ?? world.Time.Now : null;
        if (world.Time.Now - _probeDueSince > ProbeDelay.Ticks)
        {
            world.Fail($"a probe of the sink is due, and no message is one: {inFlight} are held, {_waiting.Count} waits for slots");
        }
    }

    private void Accepting(ObservedMessage message, ReceivedMessage own)
    {
        if (_probe is { Message: null })
        {
            _probe = _probe with { Message = message };
        }

        if (plan is { Source: SourceKind.Sqs, IsFifo: true })
        {
            world.CheckOrder(message.Number);
        }

        if (KeyOf(message, own) is { } key && world.Due.Remove(key, out long due) && world.Time.Now < due)
        {
            world.Fail(
                FormattableString.Invariant(
                    $"message {message.Number} was delivered {TimeSpan.FromTicks(due - world.Time.Now).TotalSeconds:0.000} s before its delay had ended"));
        }
    }

    /// <summary>
    /// What names a message whose delay is certain; null for others. A message in the worker's memory is an object. A queue delivers a message
    /// early when a call fails, or a duplicate.
    /// </summary>
    private object? KeyOf(ObservedMessage message, ReceivedMessage own) => plan.Source switch
    {
        SourceKind.Channel or SourceKind.TcpLines => own,
        SourceKind.Sqs or SourceKind.ServiceBus when plan.OnlyTheSinkFails => message.Number,
        _ => null,
    };

    private void Reserved(int granted)
    {
        _reserved += granted;
        if (process.Breaker.State == BreakerState.HalfOpen)
        {
            BeginProbe(message: null);
        }
    }

    private void BeginProbe(ObservedMessage? message)
    {
        if (_probe is { } before && (before.Message is not null || world.Time.Now - before.At < ProbePause.Ticks))
        {
            world.Fail("two messages probe the sink concurrently");
        }

        _probe = new Probe(world.Time.Now, message);

        // A message whose body cannot be read does not reach the sink, and the next one is due from here on.
        _probeDueSince = null;
    }

    /// <summary>A second receive loop, which waits for slots, changes its mind, and returns what it gets.</summary>
    private async Task RunForeignLoopAsync(CancellationToken stop)
    {
        try
        {
            while (!world.IsCalm)
            {
                await Task.Delay(TimeSpan.FromSeconds(world.Random.NextDouble() * 2), time, stop);
                using CancellationTokenSource limit = new(TimeSpan.FromSeconds(world.Random.NextDouble() * 5), time);
                using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, stop);
                try
                {
                    using SlotLease granted = await ReserveAsync(world.Random.Next(1, slots + 1), slots, either.Token);
                    await Task.Delay(TimeSpan.FromMilliseconds(world.Random.Next(100)), time, CancellationToken.None);
                }
                catch (OperationCanceledException) when (!stop.IsCancellationRequested)
                {
                    world.Meets(Fault.SourceWithdraws);
                }
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
        }
    }

    private sealed record Waiter(int Min, CancellationToken Token);

    /// <summary>The probe of a half-open breaker.</summary>
    /// <param name="At">When it began.</param>
    /// <param name="Message">Null while its slot has no message.</param>
    private sealed record Probe(long At, ObservedMessage? Message);
}
