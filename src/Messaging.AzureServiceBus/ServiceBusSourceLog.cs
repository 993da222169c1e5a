using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>Log messages of the Service Bus source: event ids 3300 to 3349. Never a body, a lock token or a connection string.</summary>
internal sealed partial class ServiceBusSourceLog(ILogger logger, string route, TimeProvider time)
{
    private readonly ThrottlingLogger _throttled = new(logger, time, TimeSpan.FromSeconds(5));
    private readonly ThrottlingLogger _rare = new(logger, time, TimeSpan.FromMinutes(5));

    public string Route => route;

    public void Unreachable(string error) => LogUnreachable(logger, route, error);

    public void ReceiveFailed(ServiceBusFault fault)
    {
        if (fault.IsRefusal)
        {
            LogReceiveRefused(_throttled, route, fault.Kind, fault.Message);
        }
        else
        {
            LogReceiveFailed(_throttled, route, fault.Kind, fault.Message);
        }
    }

    public void ReceiveRecovered() => LogReceiveRecovered(logger, route);

    public void Resting(TimeSpan wait) => LogResting(logger, route, DurationText.Of(wait));

    public void CompleteFailed(ServiceBusFault fault) => LogCompleteFailed(_throttled, route, fault.Kind, fault.Message);

    public void AbandonFailed(ServiceBusFault fault) => LogAbandonFailed(_throttled, route, fault.Kind, fault.Message);

    public void DeadLetterFailed(string id, ServiceBusFault fault) => LogDeadLetterFailed(logger, route, id, fault.Kind, fault.Message);

    public void RenewFailed(string error) => LogRenewFailed(_throttled, route, error);

    /// <param name="activity">What the worker was doing.</param>
    /// <param name="exception">What the client threw.</param>
    public void CallFailed(string activity, Exception exception) => LogCallFailed(_throttled, route, activity, ServiceBusFault.TextOf(exception));

    public void Unreadable(string error, int maxDeliveryCount) => LogUnreadable(_throttled, route, maxDeliveryCount, error);

    public void SettlementsSlow(int count, TimeSpan longest) => LogSettlementsSlow(logger, route, count, DurationText.Of(longest));

    public void SettlementsAnswered() => LogSettlementsAnswered(logger, route);

    public void HeldBeyondLimit(TimeSpan limit, TimeSpan longest, int maxDeliveryCount) =>
        LogHeldBeyondLimit(_rare, route, DurationText.Of(limit), DurationText.Of(longest), maxDeliveryCount);

    public void SessionsEmpty(int count, TimeSpan waited) => LogSessionsEmpty(_rare, route, count, DurationText.Of(waited));

    [LoggerMessage(
        3300, LogLevel.Warning, "Route {Route}: Service Bus is unreachable; the worker checks it every 1 to 30 s and is not ready until it answers: {Error}")]
    private static partial void LogUnreachable(ILogger logger, string route, string error);

    [LoggerMessage(3301, LogLevel.Warning, "Route {Route}: receiving failed ({Kind}); the client retries: {Error}")]
    private static partial void LogReceiveFailed(ILogger logger, string route, ServiceBusFaultKind kind, string error);

    [LoggerMessage(
        3302, LogLevel.Error, "Route {Route}: Service Bus refused the worker ({Kind}); check the entity's name and state, and the right Listen: {Error}")]
    private static partial void LogReceiveRefused(ILogger logger, string route, ServiceBusFaultKind kind, string error);

    [LoggerMessage(3303, LogLevel.Information, "Route {Route}: receiving works again")]
    private static partial void LogReceiveRecovered(ILogger logger, string route);

    [LoggerMessage(3304, LogLevel.Warning, "Route {Route}: the client was stopped and restarts in {Wait}")]
    private static partial void LogResting(ILogger logger, string route, string wait);

    [LoggerMessage(
        3305, LogLevel.Warning,
        "Route {Route}: a stored message could not be completed ({Kind}); it will be redelivered and completed then, and its object stays unchanged: {Error}")]
    private static partial void LogCompleteFailed(ILogger logger, string route, ServiceBusFaultKind kind, string error);

    [LoggerMessage(3306, LogLevel.Information, "Route {Route}: a message could not be abandoned ({Kind}); it is redelivered when its lock ends: {Error}")]
    private static partial void LogAbandonFailed(ILogger logger, string route, ServiceBusFaultKind kind, string error);

    [LoggerMessage(3307, LogLevel.Error, "Route {Route}: message {Id} could not be dead-lettered ({Kind}) and will be redelivered: {Error}")]
    private static partial void LogDeadLetterFailed(ILogger logger, string route, string id, ServiceBusFaultKind kind, string error);

    [LoggerMessage(3308, LogLevel.Warning, "Route {Route}: a message's lock could not be renewed; if the lock ends, the message is redelivered: {Error}")]
    private static partial void LogRenewFailed(ILogger logger, string route, string error);

    [LoggerMessage(3309, LogLevel.Warning, "Route {Route}: {Activity} failed: {Error}")]
    private static partial void LogCallFailed(ILogger logger, string route, string activity, string error);

    [LoggerMessage(
        3310, LogLevel.Warning,
        "Route {Route}: messages are held for longer than Sources:ServiceBus:MaxLockRenewal ({Limit}), up to {Longest}: they have used half of the deliveries "
            + "that MaxDeliveryCount ({MaxDeliveryCount}) allows, and each further delivery brings them closer to the dead-letter queue. Fix the sink, or "
            + "raise the entity's MaxDeliveryCount and the setting of the same name")]
    private static partial void LogHeldBeyondLimit(ILogger logger, string route, string limit, string longest, int maxDeliveryCount);

    [LoggerMessage(
        3311, LogLevel.Warning,
        "Route {Route}: the Service Bus client cannot convert a message; the worker continues with other messages. Service Bus redelivers this one when its "
            + "lock ends and dead-letters it as MaxDeliveryCountExceeded after MaxDeliveryCount ({MaxDeliveryCount}) deliveries. Send bodies as data: {Error}")]
    private static partial void LogUnreadable(ILogger logger, string route, int maxDeliveryCount, string error);

    [LoggerMessage(
        3312, LogLevel.Warning,
        "Route {Route}: Service Bus has not answered {Count} settlement(s), the oldest for {Longest}; the route is not ready until it does. Their messages "
            + "stay locked, and are redelivered if the locks end. Check the namespace and the network")]
    private static partial void LogSettlementsSlow(ILogger logger, string route, int count, string longest);

    [LoggerMessage(3313, LogLevel.Information, "Route {Route}: Service Bus answers settlements again")]
    private static partial void LogSettlementsAnswered(ILogger logger, string route);

    [LoggerMessage(
        3314, LogLevel.Warning,
        "Route {Route}: {Count} sessions in a row were closed without a message, though Service Bus hands out sessions that have some: none arrived within "
            + "{Waited}. One that arrives later is released unprocessed, which counts as a delivery: MaxDeliveryCount of them dead-letter it. Check the "
            + "connection to the namespace, and whether other receivers take the messages, or whether they expire")]
    private static partial void LogSessionsEmpty(ILogger logger, string route, int count, string waited);
}
