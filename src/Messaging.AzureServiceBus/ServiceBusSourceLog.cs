using Messaging.Telemetry;
using Microsoft.Extensions.Logging;

namespace Messaging.AzureServiceBus;

/// <summary>Log messages of the Service Bus source: event ids 3300 to 3349. Never a body, a lock token or a connection string.</summary>
internal sealed partial class ServiceBusSourceLog(ILogger logger, string route, TimeProvider time)
{
    private static readonly TimeSpan Quiet = TimeSpan.FromSeconds(5);

    private readonly LogThrottle _receives = new(time, Quiet);
    private readonly LogThrottle _refusals = new(time, Quiet);
    private readonly LogThrottle _completes = new(time, Quiet);
    private readonly LogThrottle _abandons = new(time, Quiet);
    private readonly LogThrottle _renewals = new(time, Quiet);
    private readonly LogThrottle _calls = new(time, Quiet);
    private readonly LogThrottle _unreadable = new(time, Quiet);
    private readonly LogThrottle _holds = new(time, TimeSpan.FromMinutes(5));

    public string Route => route;

    public void Unreachable(string error) => LogUnreachable(route, error);

    public void ReceiveFailed(ServiceBusFault fault)
    {
        if (fault.IsRefusal)
        {
            if (_refusals.ShouldLog(out SuppressedLines hidden))
            {
                LogReceiveRefused(route, fault.Kind, fault.Message, hidden);
            }
        }
        else if (_receives.ShouldLog(out SuppressedLines suppressed))
        {
            LogReceiveFailed(route, fault.Kind, fault.Message, suppressed);
        }
    }

    public void ReceiveRecovered() => LogReceiveRecovered(route);

    public void Resting(TimeSpan wait) => LogResting(route, DurationText.Of(wait));

    public void CompleteFailed(ServiceBusFault fault)
    {
        if (_completes.ShouldLog(out SuppressedLines suppressed))
        {
            LogCompleteFailed(route, fault.Kind, fault.Message, suppressed);
        }
    }

    public void AbandonFailed(ServiceBusFault fault)
    {
        if (_abandons.ShouldLog(out SuppressedLines suppressed))
        {
            LogAbandonFailed(route, fault.Kind, fault.Message, suppressed);
        }
    }

    public void DeadLetterFailed(string id, ServiceBusFault fault) => LogDeadLetterFailed(route, id, fault.Kind, fault.Message);

    public void RenewFailed(string error)
    {
        if (_renewals.ShouldLog(out SuppressedLines suppressed))
        {
            LogRenewFailed(route, error, suppressed);
        }
    }

    /// <param name="activity">What the worker was doing.</param>
    /// <param name="exception">What the client threw.</param>
    public void CallFailed(string activity, Exception exception)
    {
        if (_calls.ShouldLog(out SuppressedLines suppressed))
        {
            LogCallFailed(route, activity, ServiceBusFault.TextOf(exception), suppressed);
        }
    }

    public void Unreadable(string error, int maxDeliveryCount)
    {
        if (_unreadable.ShouldLog(out SuppressedLines suppressed))
        {
            LogUnreadable(route, maxDeliveryCount, error, suppressed);
        }
    }

    public void SettlementsSlow(int count, TimeSpan longest) => LogSettlementsSlow(route, count, DurationText.Of(longest));

    public void SettlementsAnswered() => LogSettlementsAnswered(route);

    public void HeldBeyondLimit(TimeSpan limit, TimeSpan longest, int maxDeliveryCount)
    {
        if (_holds.ShouldLog(out _))
        {
            LogHeldBeyondLimit(route, DurationText.Of(limit), DurationText.Of(longest), maxDeliveryCount);
        }
    }

    [LoggerMessage(3300, LogLevel.Warning, "Route {Route}: Service Bus is unreachable; the worker checks it every 1 to 30 s and is not ready until it answers: {Error}")]
    private partial void LogUnreachable(string route, string error);

    [LoggerMessage(3301, LogLevel.Warning, "Route {Route}: receiving failed ({Kind}); the client retries: {Error}{Suppressed}")]
    private partial void LogReceiveFailed(string route, ServiceBusFaultKind kind, string error, SuppressedLines suppressed);

    [LoggerMessage(3302, LogLevel.Error, "Route {Route}: Service Bus refused the worker ({Kind}); check the entity's name and state, and the right Listen: {Error}{Suppressed}")]
    private partial void LogReceiveRefused(string route, ServiceBusFaultKind kind, string error, SuppressedLines suppressed);

    [LoggerMessage(3303, LogLevel.Information, "Route {Route}: receiving works again")]
    private partial void LogReceiveRecovered(string route);

    [LoggerMessage(3304, LogLevel.Warning, "Route {Route}: the client was stopped and restarts in {Wait}")]
    private partial void LogResting(string route, string wait);

    [LoggerMessage(3305, LogLevel.Warning, "Route {Route}: a stored message could not be completed ({Kind}); it will be redelivered and completed then, and its object stays unchanged: {Error}{Suppressed}")]
    private partial void LogCompleteFailed(string route, ServiceBusFaultKind kind, string error, SuppressedLines suppressed);

    [LoggerMessage(3306, LogLevel.Information, "Route {Route}: a message could not be abandoned ({Kind}); it is redelivered when its lock ends: {Error}{Suppressed}")]
    private partial void LogAbandonFailed(string route, ServiceBusFaultKind kind, string error, SuppressedLines suppressed);

    [LoggerMessage(3307, LogLevel.Error, "Route {Route}: message {Id} could not be dead-lettered ({Kind}) and will be redelivered: {Error}")]
    private partial void LogDeadLetterFailed(string route, string id, ServiceBusFaultKind kind, string error);

    [LoggerMessage(3308, LogLevel.Warning, "Route {Route}: a message's lock could not be renewed; if the lock ends, the message is redelivered: {Error}{Suppressed}")]
    private partial void LogRenewFailed(string route, string error, SuppressedLines suppressed);

    [LoggerMessage(3309, LogLevel.Warning, "Route {Route}: {Activity} failed: {Error}{Suppressed}")]
    private partial void LogCallFailed(string route, string activity, string error, SuppressedLines suppressed);

    [LoggerMessage(3310, LogLevel.Warning, "Route {Route}: messages are held for longer than Sources:ServiceBus:MaxLockRenewal ({Limit}), up to {Longest}: they have used half of the deliveries that MaxDeliveryCount ({MaxDeliveryCount}) allows, and each further delivery brings them closer to the dead-letter queue. Fix the sink, or raise the entity's MaxDeliveryCount and the setting of the same name")]
    private partial void LogHeldBeyondLimit(string route, string limit, string longest, int maxDeliveryCount);

    [LoggerMessage(3311, LogLevel.Warning, "Route {Route}: the Service Bus client cannot convert a message; the worker continues with other messages. Service Bus redelivers this one when its lock ends and dead-letters it as MaxDeliveryCountExceeded after MaxDeliveryCount ({MaxDeliveryCount}) deliveries. Send bodies as data: {Error}{Suppressed}")]
    private partial void LogUnreadable(string route, int maxDeliveryCount, string error, SuppressedLines suppressed);

    [LoggerMessage(3312, LogLevel.Warning, "Route {Route}: Service Bus has not answered {Count} settlement(s), the oldest for {Longest}; the route is not ready until it does. Their messages stay locked, and are redelivered if the locks end. Check the namespace and the network")]
    private partial void LogSettlementsSlow(string route, int count, string longest);

    [LoggerMessage(3313, LogLevel.Information, "Route {Route}: Service Bus answers settlements again")]
    private partial void LogSettlementsAnswered(string route);
}
