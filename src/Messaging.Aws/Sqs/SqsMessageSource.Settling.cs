using Messaging.Aws.Sqs.Wire;
using Messaging.DeadLetters;
using Messaging.Sources;
using Pipeline.Settlements;
using UntrustedText = Messaging.Telemetry.UntrustedText;

namespace Messaging.Aws.Sqs;

/// <content>Settling: the route's decision becomes a delete, a visibility change or a dead letter.</content>
internal sealed partial class SqsMessageSource
{
    /// <summary>Carries out a settlement; called by the message.</summary>
    internal ValueTask SettleAsync(SqsReceivedMessage message, in Settlement settlement)
    {
        switch (settlement.Kind)
        {
            case SettlementKind.Complete:
                return FinishAsync(message);
            case SettlementKind.DeadLetter:
                return DeadLetterAsync(message, settlement);
            default:
                return ReturnAsync(message, settlement.Delay);
        }
    }

    private ValueTask FinishAsync(SqsReceivedMessage message)
    {
        _done.Add(message.Key);
        message.ReleaseBody();
        SqsReceivedMessage? next = message.NextInGroup;
        ValueTask deleting = _deletes.EnqueueAsync(message);
        return next is null ? deleting : GoOnAsync(deleting, next);
    }

    private async ValueTask GoOnAsync(ValueTask settling, SqsReceivedMessage next)
    {
        await settling;
        if (_stopping)
        {
            await ReturnGroupAsync(next, TimeSpan.Zero);
        }
        else
        {
            next.Intake!.Accept(next);
        }
    }

    private async ValueTask DeadLetterAsync(SqsReceivedMessage message, Settlement settlement)
    {
        try
        {
            DeadLetter letter = DeadLetter.Create(message, settlement, SourceName, _route, _time.GetUtcNow());
            await _deadLetters.SendAsync(_queues!, message, letter, CancellationToken.None);
        }
        catch (Exception exception)
        {
            // Any exception: a message that is not in the dead-letter queue is abandoned, with the rest of its group.
            _log.DeadLetterFailed(UntrustedText.Shorten(message.SourceId.Span), exception.Message);
            await ReturnAsync(message, RetryDelay(message));
            return;
        }

        await FinishAsync(message);
    }

    private async ValueTask ReturnAsync(SqsReceivedMessage message, TimeSpan delay)
    {
        SqsReceivedMessage? next = message.NextInGroup;
        await HandBackAsync(message, delay);
        if (next is not null)
        {
            // Followers in the group must not overtake the failed message.
            await ReturnGroupAsync(next, delay);
        }
    }

    private async ValueTask ReturnGroupAsync(SqsReceivedMessage first, TimeSpan delay)
    {
        for (SqsReceivedMessage? follower = first; follower is not null;)
        {
            SqsReceivedMessage? next = follower.NextInGroup;
            IMessageIntake intake = follower.Intake!;
            await HandBackAsync(follower, delay);
            intake.Release(1);
            follower = next;
        }
    }

    private ValueTask HandBackAsync(SqsReceivedMessage message, TimeSpan delay)
    {
        _inFlight.Remove(message);
        message.ReleaseBody();
        message.ReturnDelaySeconds = Math.Clamp((int)Math.Ceiling(delay.TotalSeconds), 0, SqsLimits.VisibilitySeconds);
        message.AbandonedAt = _time.GetTimestamp();
        return _returns.EnqueueAsync(message);
    }

    /// <summary>At least a second, so that a message that fails repeatedly does not cause a hot loop.</summary>
    private static TimeSpan RetryDelay(SqsReceivedMessage message) => ReceiveBackoff.After(message.DeliveryCount, TimeSpan.FromSeconds(1));
}
