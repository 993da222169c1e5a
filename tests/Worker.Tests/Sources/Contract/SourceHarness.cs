using Messaging.Sources;

namespace Worker.Tests.Sources.Contract;

/// <summary>
/// What the contract needs to know of one kind of source: how to send to it, how to see what it still holds, and what it cannot
/// do by nature.
/// </summary>
internal abstract class SourceHarness(int slots = 64) : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private IMessageIntake? _receivingInto;

    public abstract IMessageSource Source { get; }

    public TestIntake Intake { get; } = new(slots);

    /// <summary>Buffers that the source rented and did not give back.</summary>
    public abstract int OutstandingBuffers { get; }

    public virtual bool AllowsEmptyBodies => true;

    /// <summary>False for sources that carry text only.</summary>
    public virtual bool AllowsAnyBytes => true;

    /// <summary>False when the server that the source is tested against takes no characters beyond U+FFFF.</summary>
    public virtual bool AllowsSupplementaryCharacters => true;

    public virtual int MaxBodyBytes => 1 << 20;

    /// <summary>False when the source gives ids of its own.</summary>
    public virtual bool KeepsGivenIds => true;

    /// <summary>False when the sender brings an abandoned message again, so that every delivery is a first one.</summary>
    public virtual bool CountsDeliveries => true;

    /// <summary>The delay that tests abandon with; a multiple of what the source can measure.</summary>
    public virtual TimeSpan AbandonDelay => TimeSpan.FromSeconds(4);

    /// <summary>The running <see cref="IMessageSource.ReceiveAsync"/>.</summary>
    public Task Receiving { get; private set; } = Task.CompletedTask;

    /// <summary>Sends a message. Returns when it is on its way; never waits for its settlement.</summary>
    public abstract Task PublishAsync(byte[] body, string? id = null);

    /// <summary>Lets time pass, for the source and for senders that wait.</summary>
    public virtual Task AdvanceAsync(TimeSpan time) => Task.Delay(time);

    /// <summary>What is in the dead letters by now; waits until there are as many as expected.</summary>
    public abstract Task<IReadOnlyList<DeadLettered>> DeadLettersAsync(int expected);

    /// <summary>Waits until nothing is left at the source or with its senders.</summary>
    public abstract Task WaitUntilEmptyAsync();

    /// <param name="intake">Where the messages go; <see cref="Intake"/> by default.</param>
    public async Task StartAsync(IMessageIntake? intake = null)
    {
        _receivingInto = intake ?? Intake;
        await Source.CheckAsync(CancellationToken.None);
        Receiving = Source.ReceiveAsync(_receivingInto, _stop.Token);
    }

    public async Task StopReceivingAsync()
    {
        await _stop.CancelAsync();
        await Receiving.WaitAsync(TimeSpan.FromSeconds(60));
    }

    /// <summary>Stops, drains, closes and disposes as the host does, then looks for what was left behind.</summary>
    public async Task FinishAsync()
    {
        await StopReceivingAsync();
        using CancellationTokenSource patience = new(TimeSpan.FromSeconds(60));
        await Source.DrainAsync(_receivingInto ?? Intake, patience.Token);
        patience.IsCancellationRequested.ShouldBeFalse("A drain ends by itself once nothing is left.");
        await Intake.DrainAsync(patience.Token);
        await Source.CloseAsync(patience.Token);
        await Source.DisposeAsync();
        Intake.Failures.ShouldBeEmpty();
        Intake.Unsettled.ShouldBe(0);
        Intake.Balance.ShouldBe(0, "Every slot reserved is used or given back.");
        OutstandingBuffers.ShouldBe(0, "Every buffer rented is given back.");
    }

    public virtual async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await Source.DisposeAsync();
        _stop.Dispose();
    }

    /// <summary>Polls, since what is waited for happens on other threads.</summary>
    protected static async Task UntilAsync(Func<bool> condition, string what)
    {
        for (int attempt = 0; !condition(); attempt++)
        {
            attempt.ShouldBeLessThan(2_000, what);
            await Task.Delay(10);
        }
    }
}
