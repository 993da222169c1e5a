using System.Diagnostics;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>
/// Carries out settlements. A failed settlement never throws: it is retried if a retry can help; otherwise the message is redelivered
/// when its lock ends. Completed messages are remembered, so that a redelivery is completed and not stored again.
/// </summary>
internal sealed class MessageSettler(
    string route, MessageDestination destination, int doneIds, SettlementWatch watch, ServiceBusSourceLog log, TimeProvider time)
{
    // Per attempt, the client itself tries four times (its default).
    private const int Attempts = 3;

    private static readonly Backoff RetryBackoff = new(TimeSpan.FromMilliseconds(250), TimeSpan.FromSeconds(2));

    private readonly DoneIds<MessageKey> _done = new(doneIds);

    /// <summary>True when an earlier delivery of the message was stored.</summary>
    public bool IsDone(MessageKey key) => _done.Contains(key);

    /// <summary>Records that the message is stored, so that a redelivery is completed.</summary>
    public void Remember(MessageKey key) => _done.Add(key);

    /// <summary>Settles a message; <paramref name="span"/> is its span, null without a listener.</summary>
    public Task SettleAsync(ServiceBusDelivery delivery, in Settlement settlement, Activity? span) =>
        span is null ? SettleAsync(delivery, settlement) : SettleTracedAsync(delivery, settlement, span);

    private async Task SettleTracedAsync(ServiceBusDelivery delivery, Settlement settlement, Activity processing)
    {
        Activity? span = MessageSpans.StartSettle(destination, processing);

        // TryAsync records failures on the current span.
        Activity.Current = span;
        try
        {
            await SettleAsync(delivery, settlement);
        }
        finally
        {
            MessageSpans.End(span);
        }
    }

    private Task SettleAsync(ServiceBusDelivery delivery, in Settlement settlement) => settlement.Kind switch
    {
        SettlementKind.Complete => CompleteAsync(delivery),
        SettlementKind.DeadLetter => DeadLetterAsync(delivery, settlement),
        _ => AbandonAsync(delivery),
    };

    private async Task CompleteAsync(ServiceBusDelivery delivery)
    {
        if (await TryAsync(delivery, static (delivery, _) => delivery.CompleteAsync()) is { } fault && fault.Kind != ServiceBusFaultKind.Gone)
        {
            log.CompleteFailed(fault);
        }
    }

    private async Task AbandonAsync(ServiceBusDelivery delivery)
    {
        if (await TryAsync(delivery, static (delivery, _) => delivery.AbandonAsync()) is { } fault && fault.Kind != ServiceBusFaultKind.Gone)
        {
            log.AbandonFailed(fault);
        }
    }

    private async Task DeadLetterAsync(ServiceBusDelivery delivery, Settlement settlement)
    {
        DeadLetterText text = new(
            DeadLetterText.Cut(settlement.Reason ?? "unspecified"),
            DeadLetterText.Cut(settlement.Description ?? string.Empty),
            Details(delivery, settlement));
        ServiceBusFault? fault = await TryAsync(delivery, static (delivery, text) => delivery.DeadLetterAsync(text!), text);
        if (fault is { Kind: ServiceBusFaultKind.TooLarge or ServiceBusFaultKind.Other })
        {
            // All properties of a message share a limit of 64 KB, which the sender may have used up: keep the reason, drop the details.
            fault = await TryAsync(delivery, static (delivery, text) => delivery.DeadLetterAsync(text!), text with { Details = null });
        }

        if (fault is { } failed && failed.Kind != ServiceBusFaultKind.Gone)
        {
            log.DeadLetterFailed(IdOf(delivery), failed);
            if (failed.Kind != ServiceBusFaultKind.LockLost)
            {
                await AbandonAsync(delivery);
            }
        }
    }

    /// <returns>The last failure; null on success.</returns>
    private async Task<ServiceBusFault?> TryAsync(
        ServiceBusDelivery delivery, Func<ServiceBusDelivery, DeadLetterText?, Task> settle, DeadLetterText? text = null)
    {
        for (int attempt = 1; ; attempt++)
        {
            watch.Begin(delivery);
            try
            {
                await settle(delivery, text);
                return null;
            }
            catch (Exception exception)
            {
                ServiceBusFault fault = ServiceBusFault.Of(exception);
                ServiceBusSourceMetrics.SettleFailed(route, fault.Kind);
                if (fault.Kind != ServiceBusFaultKind.Transient || attempt == Attempts)
                {
                    FailSpan(fault);
                    return fault;
                }
            }
            finally
            {
                watch.End(delivery);
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

    private string Details(ServiceBusDelivery delivery, in Settlement settlement)
    {
        DateTimeOffset now = time.GetUtcNow();
        DeadLetter letter = new()
        {
            SourceId = IdOf(delivery),
            Source = ServiceBusMessageSource.SourceName,
            Route = route,
            Reason = settlement.Reason ?? "unspecified",
            Description = UntrustedText.Shorten(settlement.Description),
            ExceptionType = settlement.ExceptionType,
            Exception = settlement.Exception is { } exception ? DeadLetter.Describe(exception) : null,
            Attempts = delivery.DeliveryCount,
            FirstSeen = delivery.EnqueuedAt ?? now,
            LastSeen = now,
        };
        return letter.ToJson();
    }

    // The sender chooses it.
    private static string IdOf(ServiceBusDelivery delivery) => UntrustedText.Shorten(delivery.Id);
}

/// <summary>The texts that a dead letter carries; without details the worker's record is left out.</summary>
internal sealed record DeadLetterText(string Reason, string Description, string? Details)
{
    /// <summary>Property of a dead letter that holds the worker's record as JSON, as for SQS.</summary>
    public const string DetailsProperty = "DeadLetterDetails";

    /// <summary>The service's maximum for the reason, and for the description, in characters.</summary>
    public const int MaxLength = 4096;

    /// <summary>The properties to add to the message's own.</summary>
    public Dictionary<string, object> Properties() => Details is null ? [] : new(StringComparer.Ordinal) { [DetailsProperty] = Details };

    /// <summary>Cuts the text to the limit, never within a surrogate pair.</summary>
    public static string Cut(string text, int maxLength = MaxLength) =>
        text.Length <= maxLength ? text : text[..(char.IsHighSurrogate(text[maxLength - 1]) ? maxLength - 1 : maxLength)];
}
