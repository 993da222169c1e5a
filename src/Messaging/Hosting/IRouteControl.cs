namespace Quayside.Messaging.Hosting;

/// <summary>What an operator may do to the routes of a running worker; a singleton of the container. Threads: any.</summary>
internal interface IRouteControl
{
    /// <summary>
    /// Pauses a route: its sources receive no more, and the messages in flight are finished. Slots that a source has reserved for a receive that
    /// is under way may still bring messages. A route that is paused already stays as it is. A restart ends it.
    /// </summary>
    /// <param name="route">The route's name.</param>
    /// <param name="by">Who pauses it, for the log and the page.</param>
    /// <param name="note">Why; null without a note.</param>
    /// <returns>The pause.</returns>
    /// <exception cref="ArgumentException">The worker has no route of this name, or has not started.</exception>
    /// <exception cref="InvalidOperationException">The worker is stopping.</exception>
    RoutePause Pause(string route, string by, string? note);

    /// <summary>Ends a pause. A breaker that is open still pauses the route.</summary>
    /// <param name="route">The route's name.</param>
    /// <param name="by">Who resumes it, for the log.</param>
    /// <returns>False when it was not paused.</returns>
    /// <exception cref="ArgumentException">The worker has no route of this name, or has not started.</exception>
    bool Resume(string route, string by);

    /// <summary>Counts the messages in the dead-letter queues of a route now, instead of within a minute; the next states have the count.</summary>
    /// <param name="route">The route's name.</param>
    /// <exception cref="ArgumentException">The worker has no route of this name, or has not started.</exception>
    void CountDeadLetters(string route);
}

/// <summary>An operator's pause of a route.</summary>
/// <param name="Since">When it began.</param>
/// <param name="By">Who paused it.</param>
/// <param name="Note">Why; null without a note.</param>
internal sealed record RoutePause(DateTimeOffset Since, string By, string? Note);
