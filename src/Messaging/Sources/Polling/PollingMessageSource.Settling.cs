using System.Runtime.CompilerServices;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Sources.Polling;

/// <content>Settling: completing, dead-lettering, redelivering and releasing items.</content>
public abstract partial class PollingMessageSource<TItem>
{
    internal async ValueTask SettleAsync(PolledMessage<TItem> message, Settlement settlement)
    {
        switch (settlement.Kind)
        {
            case SettlementKind.Complete:
                await CompleteAsync(message);
                break;
            case SettlementKind.DeadLetter:
                await DeadLetterAsync(message, settlement);
                break;
            default:
                await RedeliverAsync(message, settlement.Delay);
                break;
        }
    }

    private async ValueTask CompleteAsync(PolledMessage<TItem> message)
    {
        try
        {
            await CompleteAsync(message.Item, CancellationToken.None);
            if (_completions.Any)
            {
                _completions.Passed();
            }
        }
        catch (Exception exception)
        {
            _completions.Failed(
                RuntimeHelpers.GetHashCode(message),
                $"The source {_services.Name} could complete none of the last {FailureRun.Limit} items, which are redelivered: "
                    + UntrustedText.MessageOf(exception));
            TimeSpan retry = FailureBackoff.After(++message.Failures, MinFailurePause);
            PollingLog.CompleteFailed(_log, exception, _services.Route, _services.Name, NameOf(message), DurationText.Of(retry));
            await RedeliverAsync(message, retry);
        }
    }

    private async ValueTask DeadLetterAsync(PolledMessage<TItem> message, Settlement settlement)
    {
        try
        {
            DeadLetter letter = DeadLetter.Create(message, settlement, _services.Name, _services.Route, _services.Time.GetUtcNow());
            await _services.DeadLetters.WriteAsync(letter, message.Body, CancellationToken.None);
        }
        catch (Exception exception)
        {
            TimeSpan retry = FailureBackoff.After(++message.Failures, MinFailurePause);
            PollingLog.DeadLetterFailed(_log, exception, _services.Route, _services.Name, NameOf(message), DurationText.Of(retry));
            _services.Metrics?.MessageReturned();
            await RedeliverAsync(message, retry);
            return;
        }

        _services.Metrics?.DeadLetterWritten(settlement.Reason, settlement.ExceptionType);
        await CompleteAsync(message);
    }

    private ValueTask RedeliverAsync(PolledMessage<TItem> message, TimeSpan delay)
    {
        message.EndDelivery();
        _waiting.TryAdd(message, true);
        if (_closing.IsCancellationRequested)
        {
            // Closed before or meanwhile: the one that removes it releases it.
            return _waiting.TryRemove(message, out _) ? TryReleaseAsync(message) : default;
        }

        _ = BecomeDueAsync(message, delay);
        return default;
    }

    private async ValueTask TryReleaseAsync(PolledMessage<TItem> message)
    {
        try
        {
            await ReleaseAsync(message.Item, CancellationToken.None);
        }
        catch (Exception exception)
        {
            PollingLog.ReleaseFailed(_log, exception, _services.Route, _services.Name, NameOf(message));
        }
    }
}
