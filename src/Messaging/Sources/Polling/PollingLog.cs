using Messaging.Telemetry;
using Microsoft.Extensions.Logging;

namespace Messaging.Sources.Polling;

/// <summary>The log of a <see cref="PollingMessageSource{TItem}"/>: at most a line of each kind per minute.</summary>
internal sealed partial class PollingLog(string route, string source, ILogger logger, TimeProvider time)
{
    private readonly LogThrottle _claims = new(time, ReasonThrottle.Interval);
    private readonly LogThrottle _reads = new(time, ReasonThrottle.Interval);
    private readonly LogThrottle _completions = new(time, ReasonThrottle.Interval);
    private readonly LogThrottle _deadLetters = new(time, ReasonThrottle.Interval);
    private readonly LogThrottle _releases = new(time, ReasonThrottle.Interval);

    public void ClaimFailed(Exception exception, TimeSpan retry)
    {
        if (_claims.ShouldLog(out SuppressedLines suppressed))
        {
            LogClaimFailed(exception, route, source, DurationText.Of(retry), suppressed);
        }
    }

    public void ReadFailed(Exception exception, string id, TimeSpan retry)
    {
        if (_reads.ShouldLog(out SuppressedLines suppressed))
        {
            LogReadFailed(exception, route, source, id, DurationText.Of(retry), suppressed);
        }
    }

    public void CompleteFailed(Exception exception, string id, TimeSpan retry)
    {
        if (_completions.ShouldLog(out SuppressedLines suppressed))
        {
            LogCompleteFailed(exception, route, source, id, DurationText.Of(retry), suppressed);
        }
    }

    public void DeadLetterFailed(Exception exception, string id, TimeSpan retry)
    {
        if (_deadLetters.ShouldLog(out SuppressedLines suppressed))
        {
            LogDeadLetterFailed(exception, route, source, id, DurationText.Of(retry), suppressed);
        }
    }

    public void ReleaseFailed(Exception exception, string id)
    {
        if (_releases.ShouldLog(out SuppressedLines suppressed))
        {
            LogReleaseFailed(exception, route, source, id, suppressed);
        }
    }

    [LoggerMessage(3010, LogLevel.Error, "Route {Route}: the source {Source} could not claim items; retry in {Delay}{Suppressed}")]
    private partial void LogClaimFailed(Exception exception, string route, string source, string delay, SuppressedLines suppressed);

    [LoggerMessage(3011, LogLevel.Error, "Route {Route}: the source {Source} could not read {Id}; it stays claimed and is read again in {Delay}{Suppressed}")]
    private partial void LogReadFailed(Exception exception, string route, string source, string id, string delay, SuppressedLines suppressed);

    [LoggerMessage(3012, LogLevel.Warning, "Route {Route}: the source {Source} could not remove {Id}, whose message is done; the message is redelivered in {Delay}{Suppressed}")]
    private partial void LogCompleteFailed(Exception exception, string route, string source, string id, string delay, SuppressedLines suppressed);

    [LoggerMessage(3013, LogLevel.Error, "Route {Route}: the dead letter of {Id} from {Source} could not be written; the message is redelivered in {Delay}. Check the folder DeadLetters:Path{Suppressed}")]
    private partial void LogDeadLetterFailed(Exception exception, string route, string source, string id, string delay, SuppressedLines suppressed);

    [LoggerMessage(3014, LogLevel.Warning, "Route {Route}: the source {Source} could not release {Id}; it stays claimed until the source frees the claims of a killed process{Suppressed}")]
    private partial void LogReleaseFailed(Exception exception, string route, string source, string id, SuppressedLines suppressed);
}
