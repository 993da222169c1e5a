using Messaging.Telemetry;
using Microsoft.Extensions.Logging;

namespace Messaging.Aws.Sqs;

/// <summary>Log messages of the SQS source: event ids 3200 to 3249. Never a body or a receipt handle.</summary>
internal sealed partial class SqsSourceLog(ILogger logger, string route, TimeProvider time)
{
    private static readonly TimeSpan Quiet = TimeSpan.FromSeconds(5);

    private readonly LogThrottle _sends = new(time, Quiet);
    private readonly LogThrottle _givenUp = new(time, Quiet);
    private readonly LogThrottle _deadLetters = new(time, Quiet);
    private readonly LogThrottle _receives = new(time, Quiet);
    private readonly LogThrottle _refusals = new(time, Quiet);
    private readonly LogThrottle _holds = new(time, TimeSpan.FromMinutes(5));

    public string Route => route;

    public void DeleteFailed(int count, string error)
    {
        if (_sends.ShouldLog(out SuppressedLines suppressed))
        {
            LogDeleteFailed(route, count, error, suppressed);
        }
    }

    public void AbandonFailed(int count, string error)
    {
        if (_sends.ShouldLog(out SuppressedLines suppressed))
        {
            LogAbandonFailed(route, count, error, suppressed);
        }
    }

    public void DeleteGivenUp(string error)
    {
        if (_givenUp.ShouldLog(out SuppressedLines suppressed))
        {
            LogDeleteGivenUp(route, error, suppressed);
        }
    }

    public void AbandonGivenUp(string error)
    {
        if (_givenUp.ShouldLog(out SuppressedLines suppressed))
        {
            LogAbandonGivenUp(route, error, suppressed);
        }
    }

    public void RenewFailed(string error, SuppressedLines suppressed) => LogRenewFailed(route, error, suppressed);

    public void NoLongerRenewed(int count) => LogNoLongerRenewed(route, count);

    public void HeldBeyondLimit(TimeSpan limit, TimeSpan longest, int maxReceiveCount)
    {
        if (_holds.ShouldLog(out _))
        {
            LogHeldBeyondLimit(route, DurationText.Of(limit), DurationText.Of(longest), maxReceiveCount);
        }
    }

    public void ReceiveFailed(string error, TimeSpan wait)
    {
        if (_receives.ShouldLog(out SuppressedLines suppressed))
        {
            LogReceiveFailed(route, error, DurationText.Of(wait), suppressed);
        }
    }

    public void ReceiveRefused(string error, TimeSpan wait)
    {
        if (_refusals.ShouldLog(out SuppressedLines suppressed))
        {
            LogReceiveRefused(route, error, DurationText.Of(wait), suppressed);
        }
    }

    public void ReceiveRecovered() => LogReceiveRecovered(route);

    public void Unreachable(string error) => LogUnreachable(route, error);

    public void DeadLetterFailed(string id, string error)
    {
        if (_deadLetters.ShouldLog(out SuppressedLines suppressed))
        {
            LogDeadLetterFailed(route, id, error, suppressed);
        }
    }

    public void DeadLetterWithoutAttributes(string id) => LogDeadLetterWithoutAttributes(route, id);

    public void NearInFlightLimit(long inFlight) => LogNearInFlightLimit(route, inFlight);

    public void Damaged(string id) => LogDamaged(route, id);

    public void Unusable(int count) => LogUnusable(route, count);

    [LoggerMessage(3200, LogLevel.Warning, "Route {Route}: {Count} delete(s) failed and will be retried: {Error}{Suppressed}")]
    private partial void LogDeleteFailed(string route, int count, string error, SuppressedLines suppressed);

    [LoggerMessage(3201, LogLevel.Warning, "Route {Route}: abandoning {Count} message(s) failed and will be retried: {Error}{Suppressed}")]
    private partial void LogAbandonFailed(string route, int count, string error, SuppressedLines suppressed);

    [LoggerMessage(3202, LogLevel.Warning, "Route {Route}: a stored message could not be deleted and will be redelivered; its object stays unchanged: {Error}{Suppressed}")]
    private partial void LogDeleteGivenUp(string route, string error, SuppressedLines suppressed);

    [LoggerMessage(3203, LogLevel.Information, "Route {Route}: a message could not be abandoned; it is redelivered when its visibility timeout ends: {Error}{Suppressed}")]
    private partial void LogAbandonGivenUp(string route, string error, SuppressedLines suppressed);

    [LoggerMessage(3204, LogLevel.Warning, "Route {Route}: a message's visibility could not be renewed; the worker retries in 1 s, unless the queue no longer accepts its handle: {Error}{Suppressed}")]
    private partial void LogRenewFailed(string route, string error, SuppressedLines suppressed);

    [LoggerMessage(3205, LogLevel.Warning, "Route {Route}: {Count} message(s) are still in flight after their hold limit (Sources:Sqs:MaxHoldTime) plus Intake:MessageTimeout, or at the end of the 12 h that SQS allows; their visibility is no longer renewed, and the queue will redeliver them")]
    private partial void LogNoLongerRenewed(string route, int count);

    [LoggerMessage(3206, LogLevel.Warning, "Route {Route}: receiving failed; retry in {Wait}: {Error}{Suppressed}")]
    private partial void LogReceiveFailed(string route, string error, string wait, SuppressedLines suppressed);

    [LoggerMessage(3207, LogLevel.Error, "Route {Route}: the queue refused the worker; retry in {Wait}; check the queue's name, the region and the permission sqs:ReceiveMessage: {Error}{Suppressed}")]
    private partial void LogReceiveRefused(string route, string error, string wait, SuppressedLines suppressed);

    [LoggerMessage(3208, LogLevel.Information, "Route {Route}: receiving works again")]
    private partial void LogReceiveRecovered(string route);

    [LoggerMessage(3209, LogLevel.Warning, "Route {Route}: the queue is unreachable; receiving starts as soon as it answers: {Error}")]
    private partial void LogUnreachable(string route, string error);

    [LoggerMessage(3210, LogLevel.Error, "Route {Route}: message {Id} could not be sent to the dead-letter queue; it is abandoned and will be redelivered: {Error}{Suppressed}")]
    private partial void LogDeadLetterFailed(string route, string id, string error, SuppressedLines suppressed);

    [LoggerMessage(3211, LogLevel.Warning, "Route {Route}: the queue has {InFlight} messages in flight; near 120,000 SQS returns no more messages. Look for consumers that receive without deleting")]
    private partial void LogNearInFlightLimit(string route, long inFlight);

    [LoggerMessage(3212, LogLevel.Warning, "Route {Route}: message {Id} does not match its MD5; it is abandoned and will be redelivered")]
    private partial void LogDamaged(string route, string id);

    [LoggerMessage(3213, LogLevel.Warning, "Route {Route}: {Count} received message(s) lack a body, an id or a receipt handle, or were not requested; they are redelivered")]
    private partial void LogUnusable(string route, int count);

    [LoggerMessage(3214, LogLevel.Warning, "Route {Route}: messages are held for longer than Sources:Sqs:MaxHoldTime ({Limit}), up to {Longest}: they have used half of the deliveries that the queue's maxReceiveCount ({MaxReceiveCount}) allows, and each further delivery brings them closer to the dead-letter queue. Fix the sink; until it works, raise maxReceiveCount")]
    private partial void LogHeldBeyondLimit(string route, string limit, string longest, int maxReceiveCount);

    [LoggerMessage(3215, LogLevel.Warning, "Route {Route}: message {Id} was dead-lettered without its attributes, because the dead-letter queue refused it with them; raise the MaximumMessageSize of that queue to that of the source's queue")]
    private partial void LogDeadLetterWithoutAttributes(string route, string id);
}
