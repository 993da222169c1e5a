using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>Log messages of the SQS source: event ids 3200 to 3249. Never a body or a receipt handle.</summary>
internal sealed partial class SqsSourceLog(ILogger logger, string route, TimeProvider time)
{
    private readonly ThrottlingLogger _throttled = new(logger, time, TimeSpan.FromSeconds(5));
    private readonly ThrottlingLogger _rare = new(logger, time, TimeSpan.FromMinutes(5));

    public string Route => route;

    public void DeleteFailed(int count, string error) => LogDeleteFailed(_throttled, route, count, error);

    public void AbandonFailed(int count, string error) => LogAbandonFailed(_throttled, route, count, error);

    public void DeleteGivenUp(string error) => LogDeleteGivenUp(_throttled, route, error);

    public void AbandonGivenUp(string error) => LogAbandonGivenUp(_throttled, route, error);

    public void RenewFailed(string error) => LogRenewFailed(_throttled, route, error);

    public void NoLongerRenewed(int count) => LogNoLongerRenewed(logger, route, count);

    public void HeldBeyondLimit(TimeSpan limit, TimeSpan longest, int maxReceiveCount) =>
        LogHeldBeyondLimit(_rare, route, DurationText.Of(limit), DurationText.Of(longest), maxReceiveCount);

    public void ReceiveFailed(string error, TimeSpan wait) => LogReceiveFailed(_throttled, route, error, DurationText.Of(wait));

    public void ReceiveRefused(AwsServiceException error, TimeSpan wait) => LogReceiveRefused(
        _throttled,
        route,
        DurationText.Of(wait),
        error.Code.StartsWith("Kms", StringComparison.Ordinal)
            ? "the queue's encryption"
            : "the queue's name, the region and the permission sqs:ReceiveMessage",
        error.Message);

    public void ReceiveRecovered() => LogReceiveRecovered(logger, route);

    public void Unreachable(string error) => LogUnreachable(logger, route, error);

    public void DeadLetterFailed(string id, string error) => LogDeadLetterFailed(_throttled, route, id, error);

    public void DeadLetterWithoutAttributes(string id) => LogDeadLetterWithoutAttributes(logger, route, id);

    public void NearInFlightLimit(long inFlight) => LogNearInFlightLimit(logger, route, inFlight);

    public void Unusable(int count) => LogUnusable(logger, route, count);

    [LoggerMessage(3200, LogLevel.Warning, "Route {Route}: {Count} delete(s) failed and will be retried: {Error}")]
    private static partial void LogDeleteFailed(ILogger logger, string route, int count, string error);

    [LoggerMessage(3201, LogLevel.Warning, "Route {Route}: abandoning {Count} message(s) failed and will be retried: {Error}")]
    private static partial void LogAbandonFailed(ILogger logger, string route, int count, string error);

    [LoggerMessage(3202, LogLevel.Warning, "Route {Route}: a stored message could not be deleted and will be redelivered; its object stays unchanged: {Error}")]
    private static partial void LogDeleteGivenUp(ILogger logger, string route, string error);

    [LoggerMessage(3203, LogLevel.Information, "Route {Route}: a message could not be abandoned; it is redelivered when its visibility timeout ends: {Error}")]
    private static partial void LogAbandonGivenUp(ILogger logger, string route, string error);

    [LoggerMessage(
        3204, LogLevel.Warning,
        "Route {Route}: a message's visibility could not be renewed; the worker retries in 1 s, unless the queue no longer accepts its handle: {Error}")]
    private static partial void LogRenewFailed(ILogger logger, string route, string error);

    [LoggerMessage(
        3205, LogLevel.Warning,
        "Route {Route}: {Count} message(s) are still in flight after their hold limit (Sources:Sqs:MaxHoldTime) plus Intake:MessageTimeout, or at the end of "
            + "the 12 h that SQS allows; their visibility is no longer renewed, and the queue will redeliver them")]
    private static partial void LogNoLongerRenewed(ILogger logger, string route, int count);

    [LoggerMessage(3206, LogLevel.Warning, "Route {Route}: receiving failed; retry in {Wait}: {Error}")]
    private static partial void LogReceiveFailed(ILogger logger, string route, string error, string wait);

    [LoggerMessage(3207, LogLevel.Error, "Route {Route}: the queue refused the worker; retry in {Wait}; check {Cause}: {Error}")]
    private static partial void LogReceiveRefused(ILogger logger, string route, string wait, string cause, string error);

    [LoggerMessage(3208, LogLevel.Information, "Route {Route}: receiving works again")]
    private static partial void LogReceiveRecovered(ILogger logger, string route);

    [LoggerMessage(3209, LogLevel.Warning, "Route {Route}: the queue is unreachable; receiving starts as soon as it answers: {Error}")]
    private static partial void LogUnreachable(ILogger logger, string route, string error);

    [LoggerMessage(
        3210, LogLevel.Error, "Route {Route}: message {Id} could not be sent to the dead-letter queue; it is abandoned and will be redelivered: {Error}")]
    private static partial void LogDeadLetterFailed(ILogger logger, string route, string id, string error);

    [LoggerMessage(
        3211, LogLevel.Warning,
        "Route {Route}: the queue has {InFlight} messages in flight; near 120,000 SQS returns no more messages. "
            + "Look for consumers that receive without deleting")]
    private static partial void LogNearInFlightLimit(ILogger logger, string route, long inFlight);

    [LoggerMessage(
        3213, LogLevel.Warning,
        "Route {Route}: {Count} received message(s) lack a body, an id or a receipt handle, or were not requested; they are redelivered")]
    private static partial void LogUnusable(ILogger logger, string route, int count);

    [LoggerMessage(
        3214, LogLevel.Warning,
        "Route {Route}: messages are held for longer than Sources:Sqs:MaxHoldTime ({Limit}), up to {Longest}: they have used half of the deliveries that the "
            + "queue's maxReceiveCount ({MaxReceiveCount}) allows, and each further delivery brings them closer to the dead-letter queue. "
            + "Fix the sink; until it works, raise maxReceiveCount")]
    private static partial void LogHeldBeyondLimit(ILogger logger, string route, string limit, string longest, int maxReceiveCount);

    [LoggerMessage(
        3215, LogLevel.Warning,
        "Route {Route}: message {Id} was dead-lettered without its attributes, because the dead-letter queue refused it with them; raise the "
            + "MaximumMessageSize of that queue to that of the source's queue")]
    private static partial void LogDeadLetterWithoutAttributes(ILogger logger, string route, string id);
}
