using Microsoft.Extensions.Logging;
using Pipeline.Buffers;
using Pipeline.Settlements;
using Worker.Aws;
using Worker.DeadLetters;
using Worker.Recoverability;
using Worker.Sources.Sqs.Wire;
using Worker.Telemetry;

namespace Worker.Sources.Sqs;

/// <summary>
/// Messages of an SQS queue, standard or FIFO. Receives only what slots were reserved for, keeps it hidden by heartbeat until
/// it is settled, deletes only what is stored. See docs/settlement.md for the timeline.
/// </summary>
internal sealed class SqsMessageSource : IMessageSource
{
    public const string SourceName = "sqs";

    private const int RetainedMessages = 4096;

    // After an empty answer that came at once (short polls, emulators): keeps an idle worker from calling in a hot loop.
    private static readonly TimeSpan EmptyPause = TimeSpan.FromMilliseconds(500);

    // A cut-off receive leaves what SQS was handing over hidden until its timeout. Where messages wait, the answer is quicker
    // than this, and what it brings is handed back at once; only a poll of an empty queue is cut off.
    private static readonly TimeSpan StopGrace = TimeSpan.FromMilliseconds(500);

    private static readonly Backoff ReceiveBackoff = new(TimeSpan.FromMilliseconds(250), TimeSpan.FromSeconds(30));

    private readonly SqsClient _client;
    private readonly SqsSourceOptions _options;
    private readonly TimeProvider _time;
    private readonly int _concurrency;
    private readonly string _route;
    private readonly SqsSourceLog _log;
    private readonly SqsQueueFinder _finder;
    private readonly SqsDeadLetters _deadLetters;
    private readonly InFlightMessages _inFlight;
    private readonly DoneIds _done;
    private readonly Heartbeat _heartbeat;
    private readonly DeleteLoop _deletes;
    private readonly ReturnLoop _returns;
    private readonly BoundedPool<SqsReceivedMessage> _messages = new(RetainedMessages);
    private readonly SemaphoreSlim _finding = new(1, 1);

    private volatile SqsQueues? _queues;
    private volatile bool _stopping;
    private int _receiveFailures;
    private int _emptyAnswers;
    private bool _started;

    public SqsMessageSource(SqsClient client, SqsQueueReference queue, SqsSourceOptions options, SourceServices services)
    {
        _client = client;
        _options = options;
        _time = services.Time;
        _concurrency = services.Concurrency;
        _route = services.Route;
        _log = new SqsSourceLog(services.Loggers.CreateLogger<SqsMessageSource>(), services.Route, services.Time);
        _finder = new SqsQueueFinder(client, queue, options);
        _deadLetters = new SqsDeadLetters(client);
        _inFlight = new InFlightMessages(services.Time);
        _done = new DoneIds(options.DoneIds);
        _heartbeat = new Heartbeat(client, _inFlight, options, services.Time, _log);
        _deletes = new DeleteLoop(client, this, _inFlight, services.Time, options.AcknowledgeDelay, services.Concurrency, _log);
        _returns = new ReturnLoop(client, this, _inFlight, services.Time, services.Concurrency, _log);
        SqsSourceMetrics.Observe(services.Route, _inFlight);
    }

    public string Name => SourceName;

    public string? Problem { get; private set; }

    /// <summary>Loops that receive, and that acknowledge, for a number of messages in work: one for 10, the batch size.</summary>
    public static int LoopsFor(int concurrency) => (concurrency + SqsLimits.BatchEntries - 1) / SqsLimits.BatchEntries;

    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        try
        {
            _queues = await _finder.FindAsync(cancellationToken);
        }
        catch (AwsServiceException exception) when (exception.Kind is AwsErrorKind.AccessDenied)
        {
            throw new Hosting.StartupException(exception.Message, Hosting.ExitCodes.NoPermission, exception);
        }
        catch (AwsServiceException exception)
        {
            _log.Unreachable(exception.Message);
        }
    }

    public async Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving)
    {
        if (!_started)
        {
            _started = true;
            _heartbeat.Start(QueueUrl);
            _deletes.Start(QueueUrl);
            _returns.Start(QueueUrl);
        }

        using CancellationTokenSource cutOff = new();
        await using CancellationTokenRegistration registration = stopReceiving.UnsafeRegister(_ =>
        {
            _stopping = true;
            cutOff.CancelAfter(StopGrace);
        }, state: null);
        await Task.WhenAll(Enumerable.Range(0, LoopsFor(_concurrency)).Select(_ => Task.Run(() => LoopAsync(intake, stopReceiving, cutOff.Token), CancellationToken.None)));
    }

    public async Task CloseAsync(CancellationToken cancellationToken)
    {
        if (_started)
        {
            await Task.WhenAll(_deletes.CloseAsync(cancellationToken), _returns.CloseAsync(cancellationToken));
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _heartbeat.DisposeAsync();
        _client.Dispose();
        _finding.Dispose();
    }

    /// <summary>Carries a settlement out; called by the message.</summary>
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

    /// <summary>Takes a message object back; its batch call is done.</summary>
    internal void Recycle(SqsReceivedMessage message)
    {
        _inFlight.Remove(message);
        message.Reset();
        _messages.Return(message);
    }

    private string QueueUrl() => _queues?.Url ?? throw new InvalidOperationException("Nothing can be in flight before the queue was found.");

    private async Task LoopAsync(IMessageIntake intake, CancellationToken stop, CancellationToken cutOff)
    {
        // Under load a receive for one freed slot would cost as much as one for ten.
        int min = Math.Clamp(_concurrency / 2, 1, SqsLimits.BatchEntries);
        while (!stop.IsCancellationRequested)
        {
            int reserved = 0;
            try
            {
                SqsQueues queues = _queues ?? await FindQueuesAsync(stop);
                reserved = await intake.ReserveAsync(min, SqsLimits.BatchEntries, stop);
                long askedAt = _time.GetTimestamp();
                ReceiveBatch batch = await _client.ReceiveAsync(
                    new ReceiveRequest(queues.Url, reserved, (int)_options.WaitTime.TotalSeconds, (int)_options.VisibilityTimeout.TotalSeconds),
                    cutOff);
                ReceiveSucceeded();
                int used = await HandOverAsync(batch, queues.IsFifo, intake);
                intake.Release(reserved - used);
                reserved = 0;
                if (batch.Count == 0)
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
                intake.Release(reserved);
                reserved = 0;
                await AfterFailureAsync(exception, stop);
            }
            finally
            {
                intake.Release(reserved);
            }
        }
    }

    /// <returns>Slots used up: messages accepted, and followers of a group that keep theirs.</returns>
    private async ValueTask<int> HandOverAsync(ReceiveBatch batch, bool isFifo, IMessageIntake intake)
    {
        int used = 0;
        int count = batch.Count;
        List<SqsReceivedMessage>? fifo = isFifo ? new List<SqsReceivedMessage>(count) : null;
        for (int i = 0; i < count; i++)
        {
            SqsReceivedMessage message = Open(batch[i]);
            if (await IsHandledAsync(message))
            {
                continue;
            }

            used++;
            if (fifo is null)
            {
                intake.Accept(message);
            }
            else
            {
                fifo.Add(message);
            }
        }

        if (fifo is not null)
        {
            AcceptGroups(fifo, intake);
        }

        return used;
    }

    /// <summary>Links each message behind the one before it of its group, then starts the first of each: one of a group at a time.</summary>
    private static void AcceptGroups(List<SqsReceivedMessage> messages, IMessageIntake intake)
    {
        List<SqsReceivedMessage> heads = new(messages.Count);
        List<SqsReceivedMessage> tails = new(messages.Count);
        foreach (SqsReceivedMessage message in messages)
        {
            message.Intake = intake;
            int group = tails.FindIndex(tail => tail.Wire.GroupId.Span.SequenceEqual(message.Wire.GroupId.Span));
            if (group < 0)
            {
                heads.Add(message);
                tails.Add(message);
            }
            else
            {
                tails[group].NextInGroup = message;
                tails[group] = message;
            }
        }

        // Only now: an accepted message may be settled, and gone, at once.
        heads.ForEach(intake.Accept);
    }

    private SqsReceivedMessage Open(in SqsMessage wire)
    {
        SqsReceivedMessage message = _messages.TryTake(out SqsReceivedMessage? pooled) ? pooled : new SqsReceivedMessage(this);
        message.Open(wire, SqsReceivedMessage.KeyOf(wire.MessageId.Span), _time.GetTimestamp());
        return message;
    }

    /// <summary>Deals with what must not be worked on: repeats, damaged bodies, and whatever arrives while the worker stops.</summary>
    private async ValueTask<bool> IsHandledAsync(SqsReceivedMessage message)
    {
        if (!_inFlight.TryAdd(message))
        {
            // In work already: its newest handle was noted, and this delivery is not worked on a second time.
            SqsSourceMetrics.Redelivered();
            message.ReleaseBody();
            message.Reset();
            _messages.Return(message);
            return true;
        }

        if (_done.Contains(message.Key))
        {
            SqsSourceMetrics.Redelivered();
            message.ReleaseBody();
            await _deletes.EnqueueAsync(message);
            return true;
        }

        bool damaged = message.Wire.Flags.HasFlag(SqsMessageFlags.Md5Mismatch);
        if (damaged)
        {
            _log.Damaged(UntrustedText.Shorten(message.SourceId.Span));
        }

        if (damaged || _stopping)
        {
            await HandBackAsync(message, TimeSpan.Zero);
            return true;
        }

        return false;
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
            DeadLetter letter = SourceDeadLetter.Create(message, settlement, SourceName, _route, _time.GetUtcNow());
            await _deadLetters.SendAsync(_queues!, message, letter, CancellationToken.None);
        }
        catch (AwsServiceException exception)
        {
            _log.DeadLetterFailed(UntrustedText.Shorten(message.SourceId.Span), exception.Message);
            await ReturnAsync(message, ReceiveBackoff.After(message.DeliveryCount));
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
            // What follows in the group must not overtake what failed.
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
        return _returns.EnqueueAsync(message);
    }

    private async ValueTask<SqsQueues> FindQueuesAsync(CancellationToken stop)
    {
        await _finding.WaitAsync(stop);
        try
        {
            return _queues ??= await _finder.FindAsync(stop);
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

    private void ReceiveSucceeded()
    {
        if (Interlocked.Exchange(ref _receiveFailures, 0) > 0)
        {
            Problem = null;
            _log.ReceiveRecovered();
        }
    }

    private async ValueTask AfterFailureAsync(AwsServiceException exception, CancellationToken stop)
    {
        int failures = Interlocked.Increment(ref _receiveFailures);
        bool refused = exception.Kind is AwsErrorKind.AccessDenied or AwsErrorKind.NotFound or AwsErrorKind.ExpiredCredentials;

        // All loops count together; each waits for its share.
        TimeSpan wait = refused ? ReceiveBackoff.Cap : ReceiveBackoff.After(1 + (failures / LoopsFor(_concurrency)), exception.RetryAfter);
        Problem = exception.Message;
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
            QueueAttributes attributes = await _client.GetQueueAttributesAsync(queues.Url, stop);
            if (attributes.MessagesInFlight > 100_000)
            {
                _log.NearInFlightLimit(attributes.MessagesInFlight);
            }
        }

        if (took < EmptyPause)
        {
            await Task.Delay(EmptyPause, _time, stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }
}
