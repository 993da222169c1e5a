using System.Diagnostics;
using Messaging.Aws.Sqs.Wire;
using Messaging.Sources;
using Messaging.Telemetry;

namespace Messaging.Aws.Sqs;

/// <content>Receiving: slots first, then a receive of as many messages, then the route.</content>
internal sealed partial class SqsMessageSource
{
    // After an empty answer that came at once (short polls, emulators): keeps an idle worker from calling in a hot loop.
    internal static readonly TimeSpan ShortPollPause = TimeSpan.FromMilliseconds(500);

    private async Task LoopAsync(IMessageIntake intake, CancellationToken stop, CancellationToken cutOff)
    {
        int min = LeastSlotsFor(_concurrency);
        DateTimeOffset calledAt = default;
        while (!stop.IsCancellationRequested)
        {
            int reserved = 0;
            try
            {
                SqsQueues queues = _queues ?? await FindQueuesAsync(stop);
                reserved = await intake.ReserveAsync(min, SqsLimits.BatchEntries, stop);
                long askedAt = _time.GetTimestamp();
                calledAt = _time.GetUtcNow();
                ReceiveBatch batch = await _client.ReceiveAsync(
                    new ReceiveRequest(queues.Url, reserved, (int)_options.WaitTime.TotalSeconds, (int)_options.VisibilityTimeout.TotalSeconds),
                    cutOff);
                if (batch.Count > 0 && MessageSpans.IsListening)
                {
                    TraceReceive(batch, calledAt);
                }

                ReceiveSucceeded(batch.Unusable);

                // Read now: the batch is used for another receive as soon as its last message is settled.
                bool isEmpty = batch.Count == 0;
                int used = await HandOverAsync(batch, queues.IsFifo ? new FifoGroups(intake) : null, intake);
                Release(intake, reserved - used);
                reserved = 0;
                if (isEmpty)
                {
                    await AfterEmptyAsync(queues, _time.GetElapsedTime(askedAt), stop);
                }
            }
            catch (OperationCanceledException) when (stop.IsCancellationRequested)
            {
                return;
            }
            catch (AwsServiceException exception)
            {
                Release(intake, reserved);
                reserved = 0;
                if (MessageSpans.IsListening)
                {
                    MessageSpans.Received(_destination, calledAt, _time.GetUtcNow(), [], exception.Code, exception.Message);
                }

                await AfterFailureAsync(exception, stop);
            }
            finally
            {
                Release(intake, reserved);
            }
        }
    }

    // A poll of an empty queue has no span: an idle worker would send nothing else.
    private void TraceReceive(ReceiveBatch batch, DateTimeOffset calledAt)
    {
        ActivityContext[] contexts = new ActivityContext[batch.Count];
        for (int i = 0; i < contexts.Length; i++)
        {
            contexts[i] = SqsTraceContext.Of(batch[i]);
        }

        MessageSpans.Received(_destination, calledAt, _time.GetUtcNow(), contexts);
    }

    private static void Release(IMessageIntake intake, int slots)
    {
        if (slots > 0)
        {
            intake.Release(slots);
        }
    }

    /// <returns>Slots used up: messages accepted, and followers of a group that keep theirs.</returns>
    private async ValueTask<int> HandOverAsync(ReceiveBatch batch, FifoGroups? groups, IMessageIntake intake)
    {
        int used = 0;
        int count = batch.Count;
        for (int i = 0; i < count; i++)
        {
            SqsReceivedMessage message = Open(batch[i]);
            if (await IsHandledAsync(message, groups))
            {
                continue;
            }

            used++;
            if (groups is null)
            {
                intake.Accept(message);
            }
            else
            {
                groups.Add(message);
            }
        }

        groups?.Accept();
        return used;
    }

    private SqsReceivedMessage Open(in SqsMessage wire)
    {
        SqsReceivedMessage message = _messages.TryTake(out SqsReceivedMessage? pooled) ? pooled : new SqsReceivedMessage(this);
        message.Open(wire, SqsReceivedMessage.KeyOf(wire.MessageId.Span), _time.GetTimestamp());
        message.HoldLimit = HoldRule.LimitFor(message.DeliveryCount);
        return message;
    }

    /// <summary>Deals with what must not be worked on: repeats, damaged bodies, what follows them in their group, and whatever arrives while the worker stops.</summary>
    private async ValueTask<bool> IsHandledAsync(SqsReceivedMessage message, FifoGroups? groups)
    {
        if (!_inFlight.TryAdd(message))
        {
            // In work already: its newest handle was noted, and this delivery is not worked on a second time.
            SqsSourceMetrics.Redelivered(_log.Route);
            groups?.Hold(message);
            message.ReleaseBody();
            message.Reset();
            _messages.Return(message);
            return true;
        }

        if (_done.Contains(message.Key))
        {
            SqsSourceMetrics.Redelivered(_log.Route);
            message.ReleaseBody();
            await _deletes.EnqueueAsync(message);
            return true;
        }

        if (message.Wire.Flags.HasFlag(SqsMessageFlags.Md5Mismatch))
        {
            _log.Damaged(UntrustedText.Shorten(message.SourceId.Span));
            groups?.Hold(message);
            await HandBackAsync(message, RetryDelay(message));
            return true;
        }

        if (_stopping || (groups is not null && groups.IsHeld(message)))
        {
            await HandBackAsync(message, TimeSpan.Zero);
            return true;
        }

        return false;
    }

    private async ValueTask<SqsQueues> FindQueuesAsync(CancellationToken stop)
    {
        await _finding.WaitAsync(stop);
        try
        {
            if (_queues is null)
            {
                _queues = await _finder.FindAsync(stop);
                Answered();
            }

            return _queues;
        }
        catch (Hosting.StartupException exception)
        {
            // Found out only now, since the queue could not be reached at start: an operator has to act, the process goes on.
            throw AwsServiceException.Local(AwsErrorKind.AccessDenied, "FindQueue", "Refused", exception.Message, exception);
        }
        finally
        {
            _finding.Release();
        }
    }

    private void Answered()
    {
        if (Interlocked.Exchange(ref _receiveFailures, 0) > 0)
        {
            _problem = null;
            _log.ReceiveRecovered();
        }
    }

    private void ReceiveSucceeded(int unusable)
    {
        Answered();
        if (unusable > 0)
        {
            _log.Unusable(unusable);
        }
    }

    private async ValueTask AfterFailureAsync(AwsServiceException exception, CancellationToken stop)
    {
        // Said before it is counted: another loop's success clears it only when it sees the count.
        _problem = exception.Message;
        int failures = Interlocked.Increment(ref _receiveFailures);
        bool refused = exception.Kind is AwsErrorKind.AccessDenied or AwsErrorKind.NotFound or AwsErrorKind.ExpiredCredentials;

        // All loops count together; each waits for its share. A server that asks for hours is asked again all the same.
        TimeSpan wait = refused ? ReceiveBackoff.Cap : ReceiveBackoff.After(1 + (failures / LoopsFor(_concurrency)), exception.RetryAfter);
        wait = wait < ReceiveBackoff.Cap ? wait : ReceiveBackoff.Cap;
        if (refused)
        {
            _log.ReceiveRefused(exception.Message, wait);
        }
        else
        {
            _log.ReceiveFailed(exception.Message, wait);
        }

        await Task.Delay(wait, _time, stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private async ValueTask AfterEmptyAsync(SqsQueues queues, TimeSpan took, CancellationToken stop)
    {
        // Once in a while an empty answer is checked: near the in-flight limit SQS gives nothing and says nothing.
        if (Interlocked.Increment(ref _emptyAnswers) % 256 == 255)
        {
            await CheckInFlightLimitAsync(queues, stop);
        }

        if (took < ShortPollPause)
        {
            await Task.Delay(ShortPollPause, _time, stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private async ValueTask CheckInFlightLimitAsync(SqsQueues queues, CancellationToken stop)
    {
        try
        {
            QueueAttributes attributes = await _client.GetQueueAttributesAsync(queues.Url, stop);
            if (attributes.MessagesInFlight > 100_000)
            {
                _log.NearInFlightLimit(attributes.MessagesInFlight);
            }
        }
        catch (AwsServiceException)
        {
            // Receiving works, and only that counts; the next look may succeed.
        }
    }
}
