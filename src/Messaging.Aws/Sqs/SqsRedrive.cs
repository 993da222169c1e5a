using System.Text;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>
/// Moves messages from the dead-letter queue to the queue, or to the folder: sends or stores first and deletes afterwards, so that a crash duplicates a message
/// but never loses one. Moves no more than the dead-letter queue held at the start (see <see cref="SqsRedriveBounds"/>). Dead letters that stay are made
/// visible at the end. While they stay, a FIFO dead-letter queue returns only the first ten of a group, so a filter or a dry run may not see all.
/// </summary>
internal sealed class SqsRedrive
{
    // Long enough to look at a large queue without receiving many dead letters twice; those that stay are made visible at the end.
    private const int HiddenSeconds = 120;

    // A standard queue may answer empty while it holds messages; this many answers in a row without a new message mean done.
    private const int EmptyReceives = 3;

    // A dead letter that was sent but not deleted would be sent again by the next redrive.
    private const int DeleteAttempts = 3;

    // This many failed calls in a row show that the service fails, not the dead letters: trying each of thousands would take hours.
    private const int FailedCalls = 5;

    // New dead letters that a run receives before it ends: without a bound it would never end while more arrive than it sends.
    private const int MinNewcomers = 100;

    // Together below the 10 s that an interrupted command has.
    private static readonly TimeSpan StopLimit = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan InterruptedShowLimit = TimeSpan.FromSeconds(4);

    private static readonly Backoff ReceiveBackoff = new(TimeSpan.FromMilliseconds(200), TimeSpan.FromSeconds(5));

    private readonly SqsClient _client;
    private readonly SqsQueues _queues;
    private readonly RedriveRequest _request;
    private readonly RedriveProgress _progress;
    private readonly SqsRedriveBounds _bounds;
    private readonly TimeProvider _time;

    // SQS's count of the dead-letter queue's messages at the start.
    private readonly long _held;

    // Of those, the ones that another receiver held, such as a redrive that was killed.
    private readonly long _hidden;
    private readonly HashSet<Guid> _seen = [];
    private readonly Dictionary<Guid, ReadOnlyMemory<byte>> _staying = [];
    private int _arrivedMeanwhile;
    private int _failedCalls;
    private string? _ended;

    private SqsRedrive(SqsClient client, SqsQueues queues, RedriveRequest request, QueueAttributes letters, CommandServices services)
    {
        _client = client;
        _queues = queues;
        _request = request;
        _held = letters.Messages + letters.MessagesInFlight + letters.MessagesDelayed;
        _hidden = letters.MessagesInFlight;
        _time = services.Time;
        _progress = new RedriveProgress(request, _held, _time, services.Output);
        request.Started?.Invoke(_progress);
        _bounds = new SqsRedriveBounds(_time.GetUtcNow());
    }

    /// <exception cref="StartupException">The queue is missing, refuses access or is unreachable.</exception>
    public static async Task<RedriveResult> RunAsync(
        SqsSourceOptions options, AwsOptions aws, RedriveRequest request, CommandServices services, CancellationToken cancellationToken)
    {
        using SqsClient client = SqsClient.Create(aws, SqsQueueReference.Parse(options.Queue!)!, new SqsWireOptions(), BufferPool.Shared, TimeProvider.System);
        return await RunAsync(client, options, request, services, cancellationToken);
    }

    /// <summary>The same with a client of the caller's.</summary>
    internal static async Task<RedriveResult> RunAsync(
        SqsClient client, SqsSourceOptions options, RedriveRequest request, CommandServices services, CancellationToken cancellationToken)
    {
        SqsQueueReference queue = SqsQueueReference.Parse(options.Queue!)!;
        try
        {
            SqsQueues queues = await new SqsQueueFinder(client, queue, options).FindAsync(cancellationToken);
            QueueAttributes letters = await client.GetQueueAttributesAsync(queues.DeadLetterUrl, cancellationToken);
            return await new SqsRedrive(client, queues, request, letters, services).MoveAllAsync(cancellationToken);
        }
        catch (AwsServiceException exception)
        {
            throw new StartupException(
                $"Queue {queue.Name}: {exception.Message}. Check the queue's name, Aws:Region, "
                    + "Aws:Endpoint and the credentials (deploy/iam/redrive-policy.json).",
                    exception.Kind is AwsErrorKind.Refused or AwsErrorKind.ExpiredCredentials ? ExitCodes.NoPermission : ExitCodes.Unavailable, exception);
        }
    }

    private async Task<RedriveResult> MoveAllAsync(CancellationToken stop)
    {
        // After a signal, running calls get time to end: a message that was sent must also be deleted here.
        using CancellationTokenSource calls = new(Timeout.InfiniteTimeSpan, _time);
        using CancellationTokenRegistration link = stop.UnsafeRegister(static source => ((CancellationTokenSource)source!).CancelAfter(StopLimit), calls);
        try
        {
            await ReceiveAllAsync(stop, calls.Token);
        }
        catch (AwsServiceException exception) when (_seen.Count > 0)
        {
            _ended = $"{exception.Message}. Run redrive again for the rest.";
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // Reported below.
        }
        finally
        {
            await ShowAsync(stop.IsCancellationRequested);
        }

        if (_arrivedMeanwhile > 0)
        {
            _progress.AddNote($"{_arrivedMeanwhile:N0} dead letter(s) arrived while redrive ran; they stay.");
        }

        // SQS's counts are approximate, but no message in flight can be received.
        long missed = Math.Min(_hidden, _held - _seen.Count);
        if (missed > 0 && !_progress.HasAll && !_progress.HasAllNames)
        {
            _ended ??= $"{missed:N0} dead letter(s) could not be received: another receiver, such as a redrive that was killed, hides them until their "
                + $"visibility timeout ends ({HiddenSeconds} s after a redrive received them). Run redrive again then.";
        }

        return _progress.ToResult(stop.IsCancellationRequested ? RedriveProgress.Interrupted : _ended);
    }

    private async Task ReceiveAllAsync(CancellationToken stop, CancellationToken calls)
    {
        int empty = 0;
        int repeated = 0;

        // Dead letters that stay become visible after their timeout and are received again: so many answers may contain nothing else.
        while (_ended is null
            && !_progress.HasAll
            && !_progress.HasAllNames
            && empty < EmptyReceives
            && repeated < EmptyReceives + (_staying.Count / SqsLimits.BatchEntries))
        {
            stop.ThrowIfCancellationRequested();
            _progress.Report();
            SqsReceivedMessage[] messages = await ReceiveAsync(calls);
            try
            {
                _bounds.Begin(messages);
                bool isEmpty = messages.Length == 0;
                bool bringsNew = await ProcessAllAsync(messages, stop, calls);
                empty = isEmpty ? empty + 1 : 0;
                repeated = isEmpty || bringsNew ? 0 : repeated + 1;
                if (_seen.Count > _held + Math.Max(MinNewcomers, _held))
                {
                    _ended ??= $"the dead-letter queue counted {_held:N0} message(s) when redrive began, but {_seen.Count:N0} were received: more arrive than "
                        + "redrive sends. Fix their cause, then run redrive again.";
                }
            }
            finally
            {
                foreach (SqsReceivedMessage message in messages)
                {
                    message.ReleaseBody();
                }
            }
        }
    }

    private async ValueTask<SqsReceivedMessage[]> ReceiveAsync(CancellationToken calls)
    {
        SqsReceivedMessage[] messages = [.. Enumerable.Range(0, SqsLimits.BatchEntries).Select(_ => new SqsReceivedMessage(owner: null))];
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                (int count, _, _) = await _client.ReceiveAsync(_queues.DeadLetterUrl, waitSeconds: 1, HiddenSeconds, messages, calls);
                return messages[..count];
            }
            catch (AwsServiceException exception) when (attempt < FailedCalls && exception.Kind is AwsErrorKind.Transient or AwsErrorKind.Throttled)
            {
                await Task.Delay(ReceiveBackoff.After(attempt), _time, calls);
            }
        }
    }

    /// <returns>True when at least one had not been received before.</returns>
    private async ValueTask<bool> ProcessAllAsync(SqsReceivedMessage[] messages, CancellationToken stop, CancellationToken calls)
    {
        List<SqsReceivedMessage> unseen = new(messages.Length);
        foreach (SqsReceivedMessage message in messages)
        {
            if (_seen.Add(message.Key))
            {
                unseen.Add(message);
            }
            else if (!_staying.ContainsKey(message.Key))
            {
                // Redelivered although it was sent and deleted: standard queues may do that.
                await DeleteAsync(message.Handle, calls);
                continue;
            }

            _staying[message.Key] = message.Handle;
        }

        foreach (SqsReceivedMessage message in unseen)
        {
            if (_ended is null && await ProcessAsync(message, stop, calls))
            {
                _staying.Remove(message.Key);
            }
        }

        return unseen.Count > 0;
    }

    /// <returns>False when the dead letter stays.</returns>
    private async ValueTask<bool> ProcessAsync(SqsReceivedMessage message, CancellationToken stop, CancellationToken calls)
    {
        IReadOnlyList<SqsMessageAttribute> attributes = message.MessageAttributes.ToList();
        string? reason = attributes.FirstOrDefault(a => a.Name == SqsDeadLetters.ReasonAttribute)?.StringValue;
        string shownReason = reason ?? "(moved by SQS)";
        SqsDeadLetterDetails details = SqsDeadLetterDetails.Read(attributes);
        switch (_bounds.OriginOf(message, details, out string? sentAs))
        {
            case SqsRedriveBounds.Origin.ThisRun:
                _progress.AddAgain(sentAs!, $"{UntrustedText.Shorten(shownReason)}, now {Name(message)}");
                return false;
            case SqsRedriveBounds.Origin.Meanwhile:
                _arrivedMeanwhile++;
                return false;
        }

        if (_progress.HasAll || !_progress.Wants(Name(message), reason, shownReason))
        {
            return false;
        }

        if (_request.DryRun)
        {
            _progress.AddFound(shownReason);
            DateTimeOffset lastSeen = details.LastSeen ?? message.EnqueuedAt ?? _time.GetUtcNow();
            _progress.List($"{UntrustedText.Shorten(shownReason)}  {Name(message)}  {lastSeen:u}", details.Description, message.Body.Span, message.Body.Length);
            return false;
        }

        if (_progress.Found >= _held)
        {
            _ended = $"the dead-letter queue counted {_held:N0} message(s) when redrive began, but holds more. SQS's count is approximate and up to a minute "
                + "old: run redrive again for the rest.";
            return false;
        }

        await _progress.WaitForRateAsync(stop);
        stop.ThrowIfCancellationRequested();
        _progress.AddFound(shownReason);
        if (await MoveAsync(message, reason, [.. attributes, .. details.Attributes], calls) is { } error)
        {
            _progress.AddLeft(Name(message), error);
            return false;
        }

        _progress.AddSent(toQueue: !_request.ToFolder);
        return true;
    }

    private async ValueTask<string?> MoveAsync(
        SqsReceivedMessage message, string? reason, IReadOnlyList<SqsMessageAttribute> attributes, CancellationToken calls)
    {
        // The message's own come first; those that it had no room for are in the details.
        SqsMessageAttribute[] kept =
            [.. attributes.Where(a => a.Name is not SqsDeadLetters.ReasonAttribute and not SqsDeadLetters.DetailsAttribute).DistinctBy(a => a.Name)];
        if ((_request.Folder is { } folder
            ? await KeepAsync(folder, message, reason, attributes, kept, calls)
            : await SendAsync(message, kept, calls)) is { } failed)
        {
            return failed;
        }

        return await DeleteAsync(message.Handle, calls) is { } error
            ? $"{(_request.ToFolder ? "stored" : "sent")}, but not deleted from the dead-letter queue: {error}"
            : null;
    }

    private async ValueTask<string?> KeepAsync(
        RedriveFolder folder, SqsReceivedMessage message, string? reason, IReadOnlyList<SqsMessageAttribute> attributes, SqsMessageAttribute[] kept,
        CancellationToken calls)
    {
        if (Array.Find(kept, static attribute => attribute.StringValue is null) is { } binary)
        {
            return $"its attribute {UntrustedText.Shorten(binary.Name)} is binary, which the folder cannot keep. Redrive it to the queue, without --to folder";
        }

        // Without the worker's record a redrive policy moved it, or the record did not fit.
        DeadLetter? record = DeadLetter.FromJson(attributes.FirstOrDefault(static attribute => attribute.Name == SqsDeadLetters.DetailsAttribute)?.StringValue);
        DateTimeOffset sent = message.EnqueuedAt ?? _time.GetUtcNow();
        DeadLetter letter = new()
        {
            SourceId = record?.SourceId ?? Encoding.UTF8.GetString(message.SourceId.Span),
            Source = SqsMessageSource.SourceName,
            Route = string.Empty,
            Reason = reason ?? DeadLetter.Unspecified,
            Description = record?.Description ?? "SQS, or another program, moved it to the dead-letter queue without the worker's record.",
            ExceptionType = record?.ExceptionType,
            Exception = record?.Exception,
            Attempts = record?.Attempts ?? message.DeliveryCount,
            FirstSeen = record?.FirstSeen ?? sent,
            LastSeen = record?.LastSeen ?? sent,
            Attributes = kept.ToDictionary(static attribute => attribute.Name, static attribute => attribute.StringValue!, StringComparer.Ordinal),
            Group = message.Group,
            DeduplicationId = record?.DeduplicationId,
        };
        string? error = await folder.KeepAsync(letter, message.Body, calls);
        _ended ??= folder.Ended;
        return error;
    }

    private async ValueTask<string?> SendAsync(SqsReceivedMessage message, SqsMessageAttribute[] kept, CancellationToken calls)
    {
        // A new deduplication id: SQS may still remember the old one, also of an equal message that this run sent, and would then drop the message.
        SendEntry entry = new(message.Body, [.. kept.Take(SqsLimits.MessageAttributes)], message.Group, _queues.IsFifo ? Guid.NewGuid().ToString("d") : null);

        try
        {
            _bounds.AddSent(await _client.SendAsync(_queues.Url, entry, calls), Name(message));
            _failedCalls = 0;
            return null;
        }
        catch (AwsServiceException exception)
        {
            if (exception.Kind is not AwsErrorKind.Rejected && ++_failedCalls >= FailedCalls)
            {
                _ended = $"{_failedCalls} sends in a row failed. Run redrive again when the queue accepts messages.";
            }

            return exception.Message;
        }
    }

    private async ValueTask<string?> DeleteAsync(ReadOnlyMemory<byte> handle, CancellationToken calls)
    {
        string error = string.Empty;
        for (int attempt = 0; attempt < DeleteAttempts; attempt++)
        {
            try
            {
                BatchEntryResult[] results = new BatchEntryResult[1];
                await _client.DeleteBatchAsync(_queues.DeadLetterUrl, new[] { handle }, results, calls);
                if (results[0].Succeeded)
                {
                    return null;
                }

                error = results[0].Code ?? string.Empty;
            }
            catch (AwsServiceException exception)
            {
                error = exception.Message;
            }
            catch (OperationCanceledException)
            {
                return "no answer before the interrupted command had to end";
            }
        }

        return error;
    }

    /// <summary>Makes the dead letters that stay visible; if that fails, they become visible when their timeout ends.</summary>
    private async Task ShowAsync(bool interrupted)
    {
        using CancellationTokenSource limit = new(interrupted ? InterruptedShowLimit : Timeout.InfiniteTimeSpan, _time);
        try
        {
            await Parallel.ForEachAsync(
                _staying.Values.Chunk(SqsLimits.BatchEntries),
                new ParallelOptions { MaxDegreeOfParallelism = 8, CancellationToken = limit.Token },
                async (handles, token) =>
                {
                    VisibilityChange[] changes = [.. handles.Select(handle => new VisibilityChange(handle, VisibilitySeconds: 0))];
                    await _client.ChangeVisibilityBatchAsync(_queues.DeadLetterUrl, changes, new BatchEntryResult[changes.Length], token);
                });
        }
        catch (Exception exception) when (exception is AwsServiceException or OperationCanceledException)
        {
            _progress.AddNote($"Dead letters that redrive received may stay hidden for up to {HiddenSeconds} s.");
        }
    }

    private static string Name(SqsReceivedMessage message) => UntrustedText.Shorten(message.SourceId.Span);
}
