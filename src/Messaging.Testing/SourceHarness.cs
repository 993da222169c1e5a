using Quayside.Messaging.Sources;

namespace Quayside.Messaging.Testing;

/// <summary>
/// What <see cref="MessageSourceContract"/> needs to know of a kind of source: how to send to it, how to see what it still holds, and what
/// it cannot do by nature. A harness is one source with an empty queue behind it, for one test.
/// </summary>
/// <param name="slots">The slots of <see cref="Intake"/>; the route's concurrency as the source knows it.</param>
public abstract class SourceHarness(int slots = 64) : IAsyncDisposable
{
    private readonly int _slots = slots;
    private readonly List<CancellationTokenSource> _stops = [new()];
    private IMessageIntake? _receivingInto;

    /// <summary>The source under test.</summary>
    public abstract IMessageSource Source { get; }

    /// <summary>Where the source delivers to; a new one after <see cref="ReopenAsync"/>.</summary>
    public TestIntake Intake { get; private set; } = new(slots);

    /// <summary>Buffers that the source has rented and not returned; 0 for a source without a pool.</summary>
    public virtual int OutstandingBuffers => 0;

    /// <summary>False for a source that refuses empty bodies.</summary>
    public virtual bool AllowsEmptyBodies => true;

    /// <summary>False for a source that carries text only.</summary>
    public virtual bool AllowsAnyBytes => true;

    /// <summary>False when the server behind the source takes no characters beyond U+FFFF.</summary>
    public virtual bool AllowsSupplementaryCharacters => true;

    /// <summary>The largest body in bytes.</summary>
    public virtual int MaxBodyBytes => 1 << 20;

    /// <summary>False when the source makes the ids of its messages, whatever id the sender gave.</summary>
    public virtual bool KeepsGivenIds => true;

    /// <summary>False when the sender sends an abandoned message again, so that every delivery is a first one.</summary>
    public virtual bool CountsDeliveries => true;

    /// <summary>
    /// False when a crash of the process ends the source's messages, or leaves them to senders that send them again: then no rule says what the
    /// source does after one.
    /// </summary>
    public virtual bool RedeliversAfterCrash => true;

    /// <summary>True for a source whose connections to its queue can end while it runs: then the contract calls <see cref="InterruptAsync"/>.</summary>
    public virtual bool HoldsConnections => false;

    /// <summary>The delay with which the contract abandons; a multiple of what the source can measure.</summary>
    public virtual TimeSpan AbandonDelay => TimeSpan.FromSeconds(4);

    /// <summary>The least real time that a rule waits for what comes with time.</summary>
    internal virtual TimeSpan MinPatience => TimeSpan.FromSeconds(15);

    /// <summary>The running <see cref="IMessageSource.ReceiveAsync"/>.</summary>
    public Task Receiving { get; private set; } = Task.CompletedTask;

    /// <summary>Sends a message. Returns when it is on its way, and never waits for its settlement.</summary>
    public abstract Task PublishAsync(byte[] body, string? id = null);

    /// <summary>Lets time pass for the source, and for senders that wait.</summary>
    public virtual Task AdvanceAsync(TimeSpan time) => Task.Delay(time);

    /// <summary>The dead letters now; waits until there are at least as many as expected.</summary>
    public abstract Task<IReadOnlyList<DeadLetteredMessage>> DeadLettersAsync(int expected);

    /// <summary>Waits until nothing is left at the source or with its senders.</summary>
    public abstract Task WaitUntilEmptyAsync();

    /// <summary>
    /// Ends the source as a crash of the process does, with what it holds neither settled nor returned, and makes <see cref="Source"/> a new one
    /// over the same queue. Call <see cref="CrashAsync"/> first.
    /// </summary>
    public virtual Task ReopenAsync() => throw new ContractException(
        $"{GetType().Name} does not override {nameof(ReopenAsync)}: end the source with {nameof(CrashAsync)} and open another over the same queue, or set "
            + $"{nameof(RedeliversAfterCrash)} to false if its messages do not survive a crash.");

    /// <summary>
    /// Ends all connections of the source, as a restart of the server or of the network does, and lets it connect again. Its queue keeps its
    /// messages; returns when the source has noticed, or needs not.
    /// </summary>
    public virtual Task InterruptAsync() => throw new ContractException(
        $"{GetType().Name} does not override {nameof(InterruptAsync)}: end the source's connections there, "
            + $"and let it connect again, or leave {nameof(HoldsConnections)} false.");

    /// <summary>Checks the source, then lets it receive.</summary>
    /// <param name="intake">Where the messages go; null for <see cref="Intake"/>.</param>
    public async Task StartAsync(IMessageIntake? intake = null)
    {
        _receivingInto = intake ?? Intake;
        await Source.CheckAsync(CancellationToken.None);
        Receiving = Source.ReceiveAsync(_receivingInto, _stops[^1].Token);
    }

    /// <summary>Ends <see cref="Receiving"/>.</summary>
    public async Task StopReceivingAsync()
    {
        await _stops[^1].CancelAsync();
        await Receiving.WaitAsync(TimeSpan.FromSeconds(60));
    }

    /// <summary>Stops, drains, closes and disposes the source as the worker does, then looks for what was left behind.</summary>
    public async Task FinishAsync()
    {
        await StopReceivingAsync();
        using CancellationTokenSource limit = new(TimeSpan.FromSeconds(60));
        await Source.DrainAsync(_receivingInto ?? Intake, limit.Token);
        Require.True(!limit.IsCancellationRequested, "A drain ends by itself once nothing is left.");
        await Intake.DrainAsync(limit.Token);
        await Source.CloseAsync(limit.Token);
        await Source.DisposeAsync();
        Require.Empty(Intake.Failures, "No settlement fails.");
        Require.Equal(Intake.Unsettled, 0, "Every message is settled.");
        Require.Equal(Intake.Balance, 0, "Every reserved slot is used or released.");
        Require.Equal(OutstandingBuffers, 0, "Every rented buffer is returned.");
    }

    /// <inheritdoc/>
    public virtual async ValueTask DisposeAsync()
    {
        foreach (CancellationTokenSource stop in _stops)
        {
            await stop.CancelAsync();
        }

        await Source.DisposeAsync();
        _stops.ForEach(stop => stop.Dispose());
        GC.SuppressFinalize(this);
    }

    /// <summary>Ends the source as a crash does: neither drained nor closed. <see cref="Intake"/> is then a new one.</summary>
    /// <param name="kill">Cuts the source off its queue where disposing it would settle messages or wait for them; null to end its receiving and dispose
    /// it.</param>
    protected async Task CrashAsync(Func<Task>? kill = null)
    {
        if (kill is null)
        {
            await StopReceivingAsync();
            await Source.DisposeAsync();
        }
        else
        {
            await kill();
        }

        _stops.Add(new CancellationTokenSource());
        Intake = new TestIntake(_slots);
        Receiving = Task.CompletedTask;
    }

    /// <summary>Polls every 10 ms until the condition holds, for what happens on other threads or in other processes and gives no signal.</summary>
    /// <param name="condition">What is waited for.</param>
    /// <param name="what">What went wrong when it does not hold after 20 s, as a sentence.</param>
    protected static async Task UntilAsync(Func<bool> condition, string what)
    {
        for (int attempt = 0; !condition(); attempt++)
        {
            Require.True(attempt < 2_000, what);
            await Task.Delay(10);
        }
    }
}
