using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Sources;

/// <summary>
/// A source of messages. Life cycle: <see cref="CheckAsync"/> once, <see cref="ReceiveAsync"/> until its token is cancelled,
/// <see cref="DrainAsync"/>, the route finishes the accepted messages, <see cref="CloseAsync"/>, dispose.
/// </summary>
public interface IMessageSource : IAsyncDisposable
{
    /// <summary>Why the source cannot receive, for the readiness page; null while it can.</summary>
    string? Problem => null;

    /// <summary>What an operator should know although the source receives, such as an item that it cannot read, and what to do; null for nothing.</summary>
    string? Warning => null;

    /// <summary>Fails fast when the source can never work as configured: a queue that does not exist, refused credentials.</summary>
    /// <exception cref="StartupException">The source can never work; the message names the cause, the place and the remedy.</exception>
    /// <remarks>A source that is only unreachable passes, with a logged warning: receiving backs off and recovers.</remarks>
    Task CheckAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Counts the messages that wait in the source's dead-letter queue, for the page and the metrics. Called where <see cref="SourcePlan.CountsDeadLetters"/>
    /// is set: once a minute from the start of receiving, also while that fails; given up after 30 s.
    /// </summary>
    /// <returns>The count, which may be approximate; null without a dead-letter queue, or when this source cannot count it.</returns>
    /// <exception cref="Exception">Any: the count is unknown then, and event 5104 names the message.</exception>
    ValueTask<long?> CountDeadLettersAsync(CancellationToken cancellationToken) => default;

    /// <summary>
    /// Receives until <paramref name="stopReceiving"/> is cancelled, then returns normally and abandons messages that were received but not
    /// accepted. Reserves slots before it receives, so that no message waits unprocessed while its visibility timeout runs. Retries faults
    /// of the queue itself, with jitter and at most 30 s apart; they never end the loop. Heartbeats of accepted messages continue until
    /// they are settled.
    /// </summary>
    Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving);

    /// <summary>
    /// Hands in messages that exist only in this process. Called once, after <see cref="ReceiveAsync"/> returned. Meanwhile
    /// <see cref="IMessageIntake.ReserveAsync"/> still grants slots, and <see cref="IMessageIntake.TryReserve"/> answers Stopping. A source
    /// whose messages also exist elsewhere has nothing to do.
    /// </summary>
    /// <param name="intake">The intake of <see cref="ReceiveAsync"/>.</param>
    /// <param name="stopDraining">The end of the drain timeout; the method then returns normally.</param>
    Task DrainAsync(IMessageIntake intake, CancellationToken stopDraining) => Task.CompletedTask;

    /// <summary>
    /// Flushes outstanding acknowledgements. Called after the drain. Accepted messages are settled by then, or hang in a sink that ignores
    /// their cancellation and may be settled later or never: a source with the only copy of such a message must keep it now.
    /// </summary>
    /// <param name="cancellationToken">Cancelled when the time for closing ends.</param>
    Task CloseAsync(CancellationToken cancellationToken);
}
