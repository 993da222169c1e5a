using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws.Sqs;

/// <content>Receiving: reserves slots, receives at most as many messages, and passes them to the route.</content>
internal sealed partial class SqsMessageSource
{
    // After an immediate empty answer (short polls, emulators): keeps an idle worker from a hot loop.
    internal static readonly TimeSpan ShortPollPause = TimeSpan.FromMilliseconds(500);

    private static readonly TimeSpan FullPause = TimeSpan.FromMilliseconds(100);

    // A pause keeps its slots: another loop would use them for the next poll, or to fail as well.
    private async Task LoopAsync(IMessageIntake intake, CancellationToken stop, CancellationToken cutOff)
    {
        int min = MinSlotsFor(_concurrency);
        SqsReceivedMessage[] received = new SqsReceivedMessage[SqsLimits.BatchEntries];
        DateTimeOffset calledAt = default;
        while (!stop.IsCancellationRequested)
        {
            SlotLease slots = default;
            try
            {
                SqsQueues queues = _queues ?? await FindQueuesAsync(stop);
                slots = await intake.ReserveAsync(min, SqsLimits.BatchEntries, stop);
                while (_deletes.IsFull || _abandons.IsFull)
                {
                    await Task.Delay(FullPause, _time, stop);
                }

                // A shutdown frees slots, which another receive would fill with messages to abandon.
                stop.ThrowIfCancellationRequested();
                long askedAt = _time.GetTimestamp();
                calledAt = _time.GetUtcNow();
                TakeFromPool(received.AsSpan(0, slots.Count));
                (int count, int unusable, TimeSpan took) = await _client.ReceiveAsync(
                    queues.Url,
                    (int)_options.WaitTime.TotalSeconds,
                    (int)_options.VisibilityTimeout.TotalSeconds,
                    received.AsMemory(0, slots.Count),
                    cutOff);
                if (count > 0 && MessageSpans.IsListening)
                {
                    TraceReceive(received[..count], calledAt);
                }

                ReceiveSucceeded(unusable);
                Accept(received.AsSpan(0, count), took, queues.IsFifo ? new FifoGroups() : null, slots);
                if (count == 0)
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
                if (MessageSpans.IsListening)
                {
                    MessageSpans.Received(_destination, calledAt, _time.GetUtcNow(), [], exception.Code, exception.Message);
                }

                await AfterFailureAsync(exception, LoopsFor(_concurrency), stop);
            }
            finally
            {
                slots.Dispose();
            }
        }
    }

    // A poll of an empty queue has no span: an idle worker would export nothing else.
    private void TraceReceive(SqsReceivedMessage[] messages, DateTimeOffset calledAt) =>
        MessageSpans.Received(_destination, calledAt, _time.GetUtcNow(), [.. messages.Select(message => message.CreationContext)]);

    // The objects that a receive has not filled are kept for the next one.
    private void TakeFromPool(Span<SqsReceivedMessage> messages)
    {
        foreach (ref SqsReceivedMessage message in messages)
        {
            message ??= _messages.TryTake(out SqsReceivedMessage? pooled) ? pooled : new SqsReceivedMessage(this);
        }
    }

    /// <summary>Accepts the messages of a receive; a follower in a group keeps a slot until it is accepted.</summary>
    private void Accept(Span<SqsReceivedMessage> messages, TimeSpan took, FifoGroups? groups, SlotLease slots)
    {
        // While the answer arrived, the messages were hidden already. In whole seconds, as SQS counts.
        long receivedAt = _time.GetTimestamp() - ((long)took.TotalSeconds * _time.TimestampFrequency);
        foreach (SqsReceivedMessage message in messages)
        {
            message.SetReceived(receivedAt);
        }

        Span<Admission> admissions = stackalloc Admission[SqsLimits.BatchEntries];
        _inFlight.Admit(messages, admissions);
        int used = 0;
        for (int i = 0; i < messages.Length; i++)
        {
            SqsReceivedMessage message = messages[i];
            if (!IsHandled(message, admissions[i], groups))
            {
                groups?.Add(message);
                messages[used++] = message;
            }
        }

        if (groups is null)
        {
            slots.Accept(messages[..used]);
        }
        else
        {
            groups.Accept(slots);
        }

        // A message that waits in the pool must not be kept alive by this loop.
        messages.Clear();
    }

    /// <summary>Settles messages that must not reach the route: redeliveries, their followers in a group, and all during a shutdown.</summary>
    private bool IsHandled(SqsReceivedMessage message, Admission admission, FifoGroups? groups)
    {
        if (admission == Admission.InFlight)
        {
            // Already in flight: its newest handle was recorded, and the message is not handled a second time.
            SqsSourceMetrics.Redelivered(_log.Route);
            groups?.Hold(message);
            message.ReleaseBody();
            Recycle(message);
            return true;
        }

        if (admission == Admission.Done)
        {
            SqsSourceMetrics.Redelivered(_log.Route);
            message.ReleaseBody();
            _deletes.Enqueue(message);
            return true;
        }

        if (_stopping || (groups is not null && groups.IsHeld(message)))
        {
            AbandonOne(message, TimeSpan.Zero);
            return true;
        }

        return false;
    }

    private async ValueTask<SqsQueues> FindQueuesAsync(CancellationToken stop)
    {
        // One loop looks, and the others wait for it, also while it pauses.
        await _finding.WaitAsync(stop);
        try
        {
            while (_queues is null)
            {
                await TryFindQueuesAsync(stop);
                stop.ThrowIfCancellationRequested();
            }

            return _queues;
        }
        finally
        {
            _finding.Release();
        }
    }

    private async ValueTask TryFindQueuesAsync(CancellationToken stop)
    {
        try
        {
            _queues = await _finder.FindAsync(stop);
            Answered();
        }
        catch (AwsServiceException exception)
        {
            await AfterFailureAsync(exception, loops: 1, stop);
        }
        catch (StartupException exception)
        {
            // The queue was unreachable at start, so this is known only now: an operator must act, and the process keeps running.
            await AfterFailureAsync(AwsServiceException.Local(AwsErrorKind.Refused, "FindQueue", "Refused", exception.Message, exception), loops: 1, stop);
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

    private async ValueTask AfterFailureAsync(AwsServiceException exception, int loops, CancellationToken stop)
    {
        // Set before the count: another loop's success clears it only when it sees the count.
        _problem = exception.Message;
        int failures = Interlocked.Increment(ref _receiveFailures);
        bool refused = exception.Kind is AwsErrorKind.Refused or AwsErrorKind.Missing or AwsErrorKind.ExpiredCredentials;

        // Loops that fail count together; each waits for its share. A longer Retry-After is cut to the cap.
        TimeSpan wait = refused ? ReceiveBackoff.Cap : ReceiveBackoff.After(1 + (failures / loops), exception.RetryAfter);
        wait = wait < ReceiveBackoff.Cap ? wait : ReceiveBackoff.Cap;
        if (refused)
        {
            _log.ReceiveRefused(exception, wait);
        }
        else
        {
            _log.ReceiveFailed(exception.Message, wait);
        }

        await Task.Delay(wait, _time, stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private async ValueTask AfterEmptyAsync(SqsQueues queues, TimeSpan took, CancellationToken stop)
    {
        // Some empty answers are checked: near the in-flight limit SQS returns neither messages nor an error.
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
            // Receiving works, and only that counts; the next check may succeed.
        }
    }
}
