namespace Quayside.Messaging.Hosting;

/// <summary>What an operator may do to the routes of a running worker; a singleton of the container. Threads: any.</summary>
public interface IRouteControl
{
    /// <summary>
    /// Pauses a route: its sources receive no more, and the messages in flight are finished. Slots that a source has reserved for a receive that
    /// is under way may still bring messages. A route that is paused already stays as it is, but for <paramref name="keep"/>.
    /// </summary>
    /// <param name="route">The route's name.</param>
    /// <param name="by">Who pauses it, for the log and the page.</param>
    /// <param name="note">Why; null without a note.</param>
    /// <param name="keep">True to pause it after a restart too, by a file in <c>Hosting:StatePath</c>.</param>
    /// <returns>The pause.</returns>
    /// <exception cref="ArgumentException">The worker has no route of this name, or has not started.</exception>
    /// <exception cref="InvalidOperationException">The worker is stopping.</exception>
    /// <exception cref="IOException">The file of a pause that is to be kept cannot be written; the route is not paused by this call.</exception>
    RoutePause Pause(string route, string by, string? note, bool keep);

    /// <summary>Ends a pause. A breaker that is open still pauses the route.</summary>
    /// <param name="route">The route's name.</param>
    /// <param name="by">Who resumes it, for the log.</param>
    /// <returns>False when it was not paused.</returns>
    /// <exception cref="ArgumentException">The worker has no route of this name, or has not started.</exception>
    /// <exception cref="IOException">It receives again, but its file cannot be deleted: after a restart it would be paused.</exception>
    bool Resume(string route, string by);

    /// <summary>
    /// Checks the sink of a route now, as the worker does at start and during an outage. There is one check at a time: who asks while one runs gets its
    /// result. A check that succeeds lets the next message probe an open breaker. It takes at most 10 s.
    /// </summary>
    /// <param name="route">The route's name.</param>
    /// <param name="cancellationToken">Ends the wait, not the check.</param>
    /// <returns>The result; a sink that cannot be reached is a result too.</returns>
    /// <exception cref="ArgumentException">The worker has no route of this name, or has not started.</exception>
    /// <exception cref="InvalidOperationException">The worker is stopping.</exception>
    /// <exception cref="NotSupportedException">The route has no sink.</exception>
    Task<SinkProbe> ProbeSinkAsync(string route, CancellationToken cancellationToken);

    /// <summary>Counts the messages in the dead-letter queues of a route now, instead of within a minute; the next states have the count.</summary>
    /// <param name="route">The route's name.</param>
    /// <exception cref="ArgumentException">The worker has no route of this name, or has not started.</exception>
    void CountDeadLetters(string route);
}

/// <summary>An operator's pause of a route.</summary>
/// <param name="Since">When it began.</param>
/// <param name="By">Who paused it.</param>
/// <param name="Note">Why; null without a note.</param>
/// <param name="IsKept">True when the route stays paused after a restart.</param>
public sealed record RoutePause(DateTimeOffset Since, string By, string? Note, bool IsKept);

/// <summary>The result of a check of a route's sink.</summary>
/// <param name="Sink">The sink's name.</param>
/// <param name="IsReachable">True when the check succeeded.</param>
/// <param name="Problem">Why it did not, in the sink's words, as a sentence; null when it did.</param>
/// <param name="Took">The time until the result.</param>
public sealed record SinkProbe(string Sink, bool IsReachable, string? Problem, TimeSpan Took);
