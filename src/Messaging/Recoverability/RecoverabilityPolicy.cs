using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Recoverability;

/// <summary>
/// Decides a message's settlement from the outcome of its pipeline. A message leaves its source only when a part completed or dead-lettered
/// it, when it is poison, or when its deliveries are exhausted; otherwise it is abandoned.
/// </summary>
internal sealed class RecoverabilityPolicy(RecoverabilityOptions options)
{
    /// <summary>
    /// Dead-letter reason of a message that failed <c>Recoverability:MaxDeliveries</c> times without an exception: it timed out, or no part decided.
    /// </summary>
    public const string DeliveriesExhausted = "deliveries-exhausted";

    /// <summary>Dead-letter reason of a message for which a part threw an exception <c>Recoverability:MaxDeliveries</c> times.</summary>
    public const string UnhandledException = "unhandled-exception";

    /// <summary>The description of a message that no part settled, when the part has not described itself.</summary>
    public const string NotSettled = "No part of the pipeline settled the message: the terminator, or a step that stops the chain, must set "
        + "context.Settlement, and a connector must copy it to the outer context.";

    private const string Stopping = "The worker is stopping.";

    private readonly Backoff _backoff = options.Backoff;
    private readonly TimeSpan _breakerOpen = options.BreakerOpen;

    /// <summary>Converts an exception to a settlement, by its own kind or by the rules of the route; false for others.</summary>
    public bool TryRead(Exception exception, Cancellation cancellation, out Settlement settlement) =>
        options.Rules.TryRead(exception, cancellation != Cancellation.None, out settlement);

    /// <summary>The delivery on which a message that fails for an unknown reason is dead-lettered.</summary>
    public int MaxDeliveries { get; } = options.MaxDeliveries;

    /// <summary>The wait of a held message before its next attempt while the breaker is closed.</summary>
    /// <param name="fault">The last fault.</param>
    /// <param name="failures">Failed attempts of this delivery, 1 or more.</param>
    public TimeSpan RetryDelay(in Settlement fault, int failures) =>
        CheckedSettlement.Bounded(_backoff.After(failures, fault.Fault == SettlementFault.Transient ? fault.Delay : _breakerOpen));

    /// <summary>A random wait that spreads the retries of held messages after an outage.</summary>
    public TimeSpan Stagger() => new Backoff(_breakerOpen, _breakerOpen).After(1);

    // Callers are not shown the description, which names classes of the program.
    private static readonly string Defect = typeof(PartDefectException).FullName!;

    /// <summary>Decides the settlement of a message.</summary>
    /// <param name="decided">The settlement that the parts decided; undecided when none did.</param>
    /// <param name="exception">The exception that left the pipeline; null without one.</param>
    /// <param name="deliveryCount">Deliveries so far, this one included.</param>
    /// <param name="cancellation">Why the message's token was cancelled, if it was.</param>
    public Settlement Decide(Settlement decided, Exception? exception, int deliveryCount, Cancellation cancellation)
    {
        if (exception is null && decided.Kind == SettlementKind.Complete)
        {
            return decided;
        }

        if (exception is not null && TryRead(exception, cancellation, out Settlement known))
        {
            return Decide(known, exception: null, deliveryCount, cancellation);
        }

        string? type = exception?.GetType().FullName;
        switch (exception)
        {
            case null when decided.Fault != SettlementFault.None && cancellation == Cancellation.Shutdown:
                // The cancellation may be the fault's cause.
                return Settlement.Abandon(TimeSpan.Zero, Stopping, decided.ExceptionType);
            case null when decided.Fault == SettlementFault.Transient:
                return Abandon(_backoff.After(deliveryCount, decided.Delay), decided.Description, decided.ExceptionType);
            case null when decided.Fault == SettlementFault.Refused:
                // Receiving is paused; the message should not be redelivered before the first probe.
                return Abandon(_breakerOpen, decided.Description, decided.ExceptionType);
            case null when decided.IsDecided:
                return CheckedSettlement.Of(decided);
            case null when cancellation == Cancellation.Shutdown:
                return Settlement.Abandon(TimeSpan.Zero, Stopping);
            case null:
                // A part that decides nothing may still describe why.
                return Fault(decided.Description ?? NotSettled, decided.ExceptionType ?? Defect, decided.Exception, deliveryCount);
            case not null when cancellation == Cancellation.Shutdown:
                // The cancellation may be the cause of any exception: cancelled calls often fail with their own type.
                return Settlement.Abandon(TimeSpan.Zero, Stopping, exception is OperationCanceledException ? null : type);
            case OperationCanceledException when cancellation == Cancellation.Timeout:
                return Fault("The message took longer than Intake:MessageTimeout.", type, thrown: null, deliveryCount);
            default:
                return Fault(UntrustedText.MessageOf(exception), type, exception, deliveryCount);
        }
    }

    private static Settlement Abandon(TimeSpan delay, string? description, string? exceptionType) =>
        Settlement.Abandon(CheckedSettlement.Bounded(delay), description, exceptionType);

    private Settlement Fault(string description, string? exceptionType, Exception? thrown, int deliveryCount)
    {
        Settlement settlement = deliveryCount >= MaxDeliveries
            ? Settlement.DeadLetter(
                thrown is null ? DeliveriesExhausted : UnhandledException, $"Failed on delivery {deliveryCount}: {description}", exceptionType)
            : Settlement.Abandon(_backoff.After(deliveryCount), description, exceptionType);
        return settlement with { Exception = thrown };
    }
}

/// <summary>Why a message's token was cancelled.</summary>
internal enum Cancellation
{
    /// <summary>It was not cancelled.</summary>
    None = 0,

    /// <summary>The message took longer than <c>Intake:MessageTimeout</c>.</summary>
    Timeout,

    /// <summary>The drain has ended: the worker no longer waits for the message.</summary>
    Shutdown,
}
