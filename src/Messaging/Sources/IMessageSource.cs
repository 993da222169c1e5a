namespace Messaging.Sources;

/// <summary>
/// Where messages come from. Life cycle: <see cref="CheckAsync"/> once, <see cref="ReceiveAsync"/> once until its token ends,
/// then <see cref="DrainAsync"/>, then the route finishes what was accepted, then <see cref="CloseAsync"/>, then dispose.
/// </summary>
public interface IMessageSource : IAsyncDisposable
{
    /// <summary>Its name in logs, metrics and dead letters, such as <c>sqs</c>.</summary>
    string Name { get; }

    /// <summary>Why the source cannot receive now, for the readiness page; null while it can.</summary>
    string? Problem => null;

    /// <summary>Fails fast when the source can never work as configured: a queue that does not exist, refused credentials.</summary>
    /// <exception cref="Hosting.StartupException">Says what is wrong, where, and what to do.</exception>
    /// <remarks>A source that is merely unreachable for now passes, with a logged warning: receiving backs off and recovers.</remarks>
    Task CheckAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Receives until <paramref name="stopReceiving"/> is cancelled. Reserves before it receives, so that nothing waits
    /// unprocessed while its time at the queue runs out. Returns normally on stop; abandons what was received but not
    /// accepted. Faults of the queue are retried inside with jitter, at most 30 s apart; they never end the loop.
    /// Heartbeats of accepted messages go on until they are settled.
    /// </summary>
    Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving);

    /// <summary>
    /// Hands in what exists nowhere but in this process. Called once, after <see cref="ReceiveAsync"/> returned. Meanwhile the
    /// intake still grants <see cref="IMessageIntake.ReserveAsync"/>; <see cref="IMessageIntake.TryReserve"/> says Stopping.
    /// A source whose messages are safe elsewhere has nothing to do here.
    /// </summary>
    /// <param name="intake">The intake of <see cref="ReceiveAsync"/>.</param>
    /// <param name="stopDraining">The end of the drain timeout; the method then returns normally.</param>
    Task DrainAsync(IMessageIntake intake, CancellationToken stopDraining) => Task.CompletedTask;

    /// <summary>
    /// Flushes outstanding acknowledgements. Called after the drain. What was accepted has been settled by then, or hangs in a sink
    /// that ignores its cancellation and may be settled later or never: a message that exists nowhere else is kept now.
    /// </summary>
    /// <param name="cancellationToken">The end of the time for it.</param>
    Task CloseAsync(CancellationToken cancellationToken);
}
