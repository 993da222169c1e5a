using System.Diagnostics;
using Messaging.DeadLetters;
using Messaging.Recoverability;
using Messaging.AzureServiceBus.Port;
using Messaging.Sources;
using Messaging.Telemetry;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Messaging.AzureServiceBus;

/// <summary>
/// Carries out settlements. A failed settlement never throws: it is retried if a retry can help; otherwise the message is redelivered
/// when its lock ends. Completed messages are remembered, so that a redelivery is completed and not stored again.
/// </summary>
internal sealed class MessageSettler(string route, MessageDestination destination, int doneIds, SettlementWatch watch, ServiceBusSourceLog log, TimeProvider time)
{
    /// <summary>Property of a dead letter that holds the worker's record as JSON, as for SQS.</summary>
    public const string DetailsProperty = "DeadLetterDetails";

    // Per attempt, the library itself tries four times (its default).
    private const int Attempts = 3;

    private static readonly Backoff RetryBackoff = new(TimeSpan.FromMilliseconds(250), TimeSpan.FromSeconds(2));

    private readonly DoneIds<MessageKey> _done = new(doneIds);

    /// <summary>True when an earlier delivery of the message was stored.</summary>
    public bool IsDone(MessageKey key) => _done.Contains(key);

    /// <summary>Records that the message is stored, so that a redelivery is completed.</summary>
    public void Remember(MessageKey key) => _done.Add(key);

    /// <summary>Settles a message; <paramref name="span"/> is its span, null without a listener.</summary>
    public Task SettleAsync(LockedMessage message, in Settlement settlement, Activity? span) =>
        span is null ? SettleAsync(message, settlement) : SettleTracedAsync(message, settlement, span);

    private async Task SettleTracedAsync(LockedMessage message, Settlement settlement, Activity processing)
    {
        Activity? span = MessageSpans.StartSettle(destination, processing);

        // TryAsync records failures on the current span.
        Activity.Current = span;
        try
        {
            await SettleAsync(message, settlement);
        }
        finally
        {
            MessageSpans.End(span);
        }
    }

    private Task SettleAsync(LockedMessage message, in Settlement settlement) => settlement.Kind switch
    {
        SettlementKind.Complete => CompleteAsync(message),
        SettlementKind.DeadLetter => DeadLetterAsync(message, settlement),
        _ => AbandonAsync(message),
    };

    private async Task CompleteAsync(LockedMessage message)
    {
        if (await TryAsync(message, static (message, _) => message.CompleteAsync(CancellationToken.None), state: null) is { } fault && fault.Kind != ServiceBusFaultKind.Gone)
        {
            log.CompleteFailed(fault);
        }
    }

    private async Task AbandonAsync(LockedMessage message)
    {
        if (await TryAsync(message, static (message, _) => message.AbandonAsync(CancellationToken.None), state: null) is { } fault && fault.Kind != ServiceBusFaultKind.Gone)
        {
            log.AbandonFailed(fault);
        }
    }

    private async Task DeadLetterAsync(LockedMessage message, Settlement settlement)
    {
        DeadLetterText text = new(
            ServiceBusLimits.CutDeadLetterText(settlement.Reason ?? "unspecified"),
            ServiceBusLimits.CutDeadLetterText(settlement.Description ?? string.Empty),
            Details(message, settlement));
        ServiceBusFault? fault = await TryAsync(message, DeadLetterAsync, text);
        if (fault is { Kind: ServiceBusFaultKind.TooLarge or ServiceBusFaultKind.Other })
        {
            // All properties of a message share a limit of 64 KB, which the sender may have used up: keep the reason, drop the details.
            fault = await TryAsync(message, DeadLetterAsync, text with { Details = null });
        }

        if (fault is { } failed && failed.Kind != ServiceBusFaultKind.Gone)
        {
            log.DeadLetterFailed(IdOf(message), failed);
            if (failed.Kind != ServiceBusFaultKind.LockLost)
            {
                await AbandonAsync(message);
            }
        }
    }

    private static Task DeadLetterAsync(LockedMessage message, DeadLetterText? text)
    {
        Dictionary<string, object> properties = new(StringComparer.Ordinal);
        if (text!.Details is { } details)
        {
            properties[DetailsProperty] = details;
        }

        return message.DeadLetterAsync(text.Reason, text.Description, properties, CancellationToken.None);
    }

    /// <returns>The last failure; null on success.</returns>
    private async Task<ServiceBusFault?> TryAsync(LockedMessage message, Func<LockedMessage, DeadLetterText?, Task> settle, DeadLetterText? state)
    {
        for (int attempt = 1; ; attempt++)
        {
            watch.Begin(message);
            try
            {
                await settle(message, state);
                return null;
            }
            catch (ServiceBusFaultException exception)
            {
                ServiceBusSourceMetrics.SettleFailed(route, exception.Fault.Kind);
                if (exception.Fault.Kind != ServiceBusFaultKind.Transient || attempt == Attempts)
                {
                    FailSpan(exception.Fault);
                    return exception.Fault;
                }
            }
            finally
            {
                watch.End(message);
            }

            await Task.Delay(RetryBackoff.After(attempt), time);
        }
    }

    // If settlements are traced, the settlement's span is the current one.
    private static void FailSpan(in ServiceBusFault fault)
    {
        if (Activity.Current is { } span && span.OperationName.StartsWith("settle ", StringComparison.Ordinal))
        {
            MessageSpans.Fail(span, fault.Kind.ToString(), fault.Message);
        }
    }

    private string Details(LockedMessage message, in Settlement settlement)
    {
        DateTimeOffset now = time.GetUtcNow();
        DeadLetter letter = new()
        {
            SourceId = IdOf(message),
            Source = ServiceBusMessageSource.SourceName,
            Route = route,
            Reason = settlement.Reason ?? "unspecified",
            Description = UntrustedText.Shorten(settlement.Description),
            ExceptionType = settlement.ExceptionType,
            Exception = settlement.Exception is { } exception ? DeadLetter.Describe(exception) : null,
            Attempts = Math.Max(1, message.DeliveryCount),
            FirstSeen = message.EnqueuedAt,
            LastSeen = now,
        };
        return letter.ToJson();
    }

    private static string IdOf(LockedMessage message) =>
        UntrustedText.Shorten(string.IsNullOrEmpty(message.MessageId) ? $"sequence-{message.SequenceNumber}" : message.MessageId);
}
