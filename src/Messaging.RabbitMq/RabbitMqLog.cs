using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.RabbitMq;

/// <summary>Log messages of the RabbitMQ source: event ids 3350 to 3399. Never a body, a password or an address with one.</summary>
internal sealed partial class RabbitMqLog(ILogger logger, string route, TimeProvider time)
{
    private readonly ThrottlingLogger _throttled = new(logger, time, TimeSpan.FromSeconds(5));
    private readonly ThrottlingLogger _rare = new(logger, time, TimeSpan.FromMinutes(5));

    public void Unreachable(string address, RabbitMqFault fault) => LogUnreachable(logger, route, address, fault.Text);

    public void ReceiveFailed(RabbitMqFault fault, TimeSpan wait)
    {
        if (fault.Remedy is null)
        {
            LogReceiveFailed(_throttled, route, DurationText.Of(wait), fault.Text);
        }
        else
        {
            LogReceiveRefused(_throttled, route, DurationText.Of(wait), fault.ToString());
        }
    }

    public void ReceiveRecovered() => LogReceiveRecovered(logger, route);

    public void AcknowledgeFailed(int count, Exception exception) => LogAcknowledgeFailed(_throttled, route, count, RabbitMqFault.TextOf(exception));

    public void DeadLetterFailed(string target, TimeSpan wait, Exception exception) =>
        LogDeadLetterFailed(_throttled, route, target, DurationText.Of(wait), RabbitMqFault.Of(exception).ToString());

    public void ReasonLost(string id, string target, Settlement settlement) => LogReasonLost(
        logger, route, id, target, UntrustedText.Shorten(settlement.Reason ?? string.Empty),
        UntrustedText.Shorten(settlement.Description ?? string.Empty));

    public void DeadLetterUnconfirmed(string target) => LogDeadLetterUnconfirmed(_throttled, route, target);

    public void Blocked(string reason) => LogBlocked(logger, route, UntrustedText.Shorten(reason));

    public void Unblocked() => LogUnblocked(logger, route);

    public void DeliveryLimit(string warning) => LogDeliveryLimit(_rare, route, warning);

    public void Created(string queue) => LogCreated(logger, route, queue);

    [LoggerMessage(
        3350, LogLevel.Warning, "Route {Route}: RabbitMQ at {Address} is unreachable; the worker is not ready, and receives as soon as it answers: {Error}")]
    private static partial void LogUnreachable(ILogger logger, string route, string address, string error);

    [LoggerMessage(
        3351, LogLevel.Warning,
        "Route {Route}: receiving from RabbitMQ failed; next attempt in {Wait}. The broker redelivers what was not acknowledged: {Error}")]
    private static partial void LogReceiveFailed(ILogger logger, string route, string wait, string error);

    [LoggerMessage(3352, LogLevel.Error, "Route {Route}: RabbitMQ refused the worker; next attempt in {Wait}: {Error}")]
    private static partial void LogReceiveRefused(ILogger logger, string route, string wait, string error);

    [LoggerMessage(3353, LogLevel.Information, "Route {Route}: receiving from RabbitMQ works again")]
    private static partial void LogReceiveRecovered(ILogger logger, string route);

    [LoggerMessage(
        3354, LogLevel.Warning,
        "Route {Route}: {Count} completed message(s) could not be acknowledged and will be redelivered; what is stored stays unchanged: {Error}")]
    private static partial void LogAcknowledgeFailed(ILogger logger, string route, int count, string error);

    [LoggerMessage(
        3355, LogLevel.Error,
        "Route {Route}: a dead letter could not be sent to {Target}; the message stays unacknowledged, and the worker tries again in {Wait}: {Error}")]
    private static partial void LogDeadLetterFailed(ILogger logger, string route, string target, string wait, string error);

    [LoggerMessage(
        3356, LogLevel.Warning,
        "Route {Route}: RabbitMQ has not confirmed a dead letter to {Target} for 30 s; the route is not ready, and the message stays unacknowledged until it "
            + "does. Check the queue's replicas, and the broker's alarms for disk and memory")]
    private static partial void LogDeadLetterUnconfirmed(ILogger logger, string route, string target);

    [LoggerMessage(
        3357, LogLevel.Warning,
        "Route {Route}: RabbitMQ accepts no dead letters ({Reason}); the route is not ready, and their messages stay unacknowledged until it does. Other "
            + "messages are received and acknowledged. Free disk or memory of the broker")]
    private static partial void LogBlocked(ILogger logger, string route, string reason);

    [LoggerMessage(3358, LogLevel.Information, "Route {Route}: RabbitMQ accepts dead letters again")]
    private static partial void LogUnblocked(ILogger logger, string route);

    [LoggerMessage(3359, LogLevel.Warning, "Route {Route}: {Warning}")]
    private static partial void LogDeliveryLimit(ILogger logger, string route, string warning);

    [LoggerMessage(3360, LogLevel.Information, "Route {Route}: the missing queue {Queue} was created, as a quorum queue")]
    private static partial void LogCreated(ILogger logger, string route, string queue);

    [LoggerMessage(
        3361, LogLevel.Warning,
        "Route {Route}: the dead letter of message {Id} is in {Target} without its reason, since the message's own headers fill the frame of all headers. "
            + "Send fewer headers, or raise the broker's frame_max. The reason was {Reason}: {Description}")]
    private static partial void LogReasonLost(ILogger logger, string route, string id, string target, string reason, string description);
}
