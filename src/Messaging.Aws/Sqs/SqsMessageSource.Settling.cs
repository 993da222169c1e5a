using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Settlements;
using UntrustedText = Quayside.Messaging.Telemetry.UntrustedText;

namespace Quayside.Messaging.Aws.Sqs;

/// <content>Settling: the route's decision becomes a delete, a visibility change or a dead letter.</content>
internal sealed partial class SqsMessageSource
{
    private const int DeadLetterAttempts = 3;

    private static readonly TimeSpan DeadLetterPause = TimeSpan.FromSeconds(1);

    /// <summary>Carries out a settlement; called by the message.</summary>
    public ValueTask SettleAsync(SqsReceivedMessage message, in Settlement settlement)
    {
        switch (settlement.Kind)
        {
            case SettlementKind.Complete:
                Finish(message);
                return default;
            case SettlementKind.DeadLetter:
                return DeadLetterAsync(message, settlement);
            default:
                Abandon(message, settlement.Delay);
                return default;
        }
    }

    private void Finish(SqsReceivedMessage message)
    {
        message.IsDone = true;
        message.ReleaseBody();
        SqsReceivedMessage? next = message.NextInGroup;
        _deletes.Enqueue(message);
        if (next is null)
        {
            return;
        }

        if (_stopping)
        {
            AbandonGroup(next, TimeSpan.Zero);
        }
        else
        {
            // Copied before: a settled message is reset.
            using SlotLease slot = next.Slot;
            slot.Accept(next);
        }
    }

    private async ValueTask DeadLetterAsync(SqsReceivedMessage message, Settlement settlement)
    {
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                DeadLetter letter = DeadLetter.Create(message, settlement, SourceName, _route, _time.GetUtcNow());
                await _deadLetters.SendAsync(_queues!, message, letter, CancellationToken.None);
                Finish(message);
                return;
            }
            catch (Exception exception) when (attempt >= DeadLetterAttempts
                || _stopping
                || exception is not AwsServiceException { Kind: AwsErrorKind.Transient or AwsErrorKind.Throttled })
            {
                // Any exception: a message that is not in the dead-letter queue is returned, with the rest of its group. Late, since each
                // delivery counts towards the queue's maxReceiveCount, also for the rest, which no handler has tried.
                _log.DeadLetterFailed(UntrustedText.Shorten(message.SourceId.Span), exception.Message);
                TimeSpan late = TryHold(message);
                TimeSpan soon = RetryDelay(message);
                Abandon(message, late > soon ? late : soon);
                return;
            }
            catch (AwsServiceException)
            {
                await Task.Delay(ReceiveBackoff.After(attempt, DeadLetterPause), _time);
            }
        }
    }

    private void Abandon(SqsReceivedMessage message, TimeSpan delay)
    {
        SqsReceivedMessage? next = message.NextInGroup;
        AbandonOne(message, delay);
        if (next is not null)
        {
            // Followers in the group must not overtake the failed message.
            AbandonGroup(next, delay);
        }
    }

    private void AbandonGroup(SqsReceivedMessage first, TimeSpan delay)
    {
        for (SqsReceivedMessage? follower = first; follower is not null;)
        {
            SqsReceivedMessage? next = follower.NextInGroup;
            using SlotLease slot = follower.Slot;
            AbandonOne(follower, delay);
            follower = next;
        }
    }

    private void AbandonOne(SqsReceivedMessage message, TimeSpan delay)
    {
        _inFlight.Remove(message);
        message.ReleaseBody();
        message.RedeliveryDelaySeconds = Math.Clamp((int)Math.Ceiling(delay.TotalSeconds), 0, SqsLimits.VisibilitySeconds);
        message.AbandonedAt = _time.GetTimestamp();
        _abandons.Enqueue(message);
    }

    /// <summary>At least a second, so that a message that fails repeatedly does not cause a hot loop.</summary>
    private static TimeSpan RetryDelay(SqsReceivedMessage message) => ReceiveBackoff.After(message.DeliveryCount, TimeSpan.FromSeconds(1));
}
