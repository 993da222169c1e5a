using System.Text;
using Azure.Messaging.ServiceBus;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>
/// Moves messages from the dead-letter queue to the queue, or to the folder: sends or stores first and completes afterwards, so that a crash duplicates a
/// message but never loses one. It looks at all dead letters first, without locking one, and moves no other: a message that is dead-lettered again meanwhile
/// stays.
/// </summary>
internal sealed class ServiceBusRedrive
{
    // So many answers in a row without another dead letter mean that there is none.
    private const int EmptyReceives = 3;

    // A dead letter that was sent but not completed would be sent again by the next redrive.
    private const int CompleteAttempts = 3;

    // This many failed calls in a row show that the broker fails, not the dead letters.
    private const int FailedCalls = 5;

    private static readonly TimeSpan ReceiveWait = TimeSpan.FromSeconds(2);

    // Below the 10 s that an interrupted command has.
    private static readonly TimeSpan StopLimit = TimeSpan.FromSeconds(3);

    private readonly ServiceBusReceiver _letters;
    private readonly DeadLetterPeek _peek;
    private readonly ServiceBusSender _queue;
    private readonly RedriveRequest _request;
    private readonly TimeProvider _time;
    private readonly HashSet<long> _wanted = [];
    private readonly HashSet<long> _moved = [];

    // New message id -> name of the dead letter.
    private readonly Dictionary<string, string> _sent = new(StringComparer.Ordinal);

    // Sent, and not completed yet: name and error.
    private readonly Dictionary<long, (string Name, string Error)> _uncompleted = [];

    // Those that stay, with their lock tokens and without their bodies.
    private readonly Dictionary<long, ServiceBusReceivedMessage> _staying = [];
    private readonly RedriveProgress _progress;
    private long _last;
    private int _failedCalls;
    private bool _hasRepeated;
    private string? _ended;

    private ServiceBusRedrive(ServiceBusReceiver letters, ServiceBusSender queue, RedriveRequest request, CommandServices services)
    {
        _letters = letters;
        _queue = queue;
        _request = request;
        _time = services.Time;
        _progress = new RedriveProgress(request, total: 0, _time, services.Output);
        request.Started?.Invoke(_progress);
        _peek = new DeadLetterPeek(letters, _progress);
    }

    /// <summary>Runs a redrive and disposes the client.</summary>
    /// <exception cref="StartupException">The queue is missing, refuses access or is unreachable.</exception>
    public static async Task<RedriveResult> RunAsync(
        ServiceBusClient client, ServiceBusSourceOptions options, RedriveRequest request, CommandServices services, CancellationToken cancellationToken)
    {
        try
        {
            ServiceBusReceiver letters = client.CreateReceiver(options.Queue, new ServiceBusReceiverOptions { SubQueue = SubQueue.DeadLetter });
            ServiceBusRedrive redrive = new(letters, client.CreateSender(options.Queue), request, services);
            try
            {
                await redrive.FindAsync(cancellationToken);
            }
            catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
            {
                throw ServiceBusFault
                    .Of(exception)
                    .ToStartupException(options.Queue!, "the rights Listen and Send (roles Azure Service Bus Data Receiver and Data Sender)");
            }
            catch (OperationCanceledException)
            {
                return redrive._progress.ToResult(RedriveProgress.Interrupted);
            }

            return request.DryRun ? redrive._progress.ToResult(ended: null) : await redrive.MoveAllAsync(cancellationToken);
        }
        finally
        {
            // It waits for calls that the broker does not answer.
            await client.DisposeAsync().AsTask().WaitAsync(StopLimit, services.Time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>Looks at all dead letters: which are asked for, and in a dry run what they are.</summary>
    private async Task FindAsync(CancellationToken cancellationToken)
    {
        if (_request is { DryRun: false, ToFolder: false })
        {
            // Opens the link, so that a missing right Send fails here and not once per dead letter.
            (await _queue.CreateMessageBatchAsync(cancellationToken)).Dispose();
        }

        await foreach (ServiceBusReceivedMessage letter in _peek.AllFromAsync(0, cancellationToken))
        {
            _last = letter.SequenceNumber;
            Examine(letter);
        }

        _progress.Total = _wanted.Count;
    }

    private void Examine(ServiceBusReceivedMessage letter)
    {
        string reason = letter.DeadLetterReason ?? string.Empty;
        if (_wanted.Count >= _request.Max || !_progress.Wants(Name(letter), reason, Shown(reason)))
        {
            return;
        }

        _wanted.Add(letter.SequenceNumber);
        _progress.AddFound(_request.DryRun ? Shown(reason) : null);
        if (_request.DryRun)
        {
            ReadOnlyMemory<byte> body = _request.Bodies ? BodyOf(letter) : default;
            _progress.List($"{Shown(reason)}  {Name(letter)}  {letter.EnqueuedTime:u}", letter.DeadLetterErrorDescription, body.Span, body.Length);
        }
    }

    private async Task<RedriveResult> MoveAllAsync(CancellationToken stop)
    {
        // After a signal, running calls get time to end: a message that was sent must also be completed here.
        using CancellationTokenSource calls = new(Timeout.InfiniteTimeSpan, _time);
        using CancellationTokenRegistration link = stop.UnsafeRegister(static source => ((CancellationTokenSource)source!).CancelAfter(StopLimit), calls);
        try
        {
            await ReceiveAllAsync(stop, calls.Token);
            await LookAtNewcomersAsync(stop);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            _ended = RedriveProgress.Interrupted;
        }
        finally
        {
            await ReleaseAsync(stop.IsCancellationRequested);
        }

        foreach ((string name, string error) in _uncompleted.Values)
        {
            _progress.AddLeft(name, $"{(_request.ToFolder ? "stored" : "sent")}, but not deleted from the dead-letter queue: {error}");
        }

        if (_wanted.Count > 0)
        {
            _ended ??= _hasRepeated
                ? $"{_wanted.Count:N0} dead letter(s) were not reached: those of other reasons before them are received again when their locks end. Raise the "
                    + "queue's LockDuration, or redrive without --reason."
                : $"{_wanted.Count:N0} dead letter(s) could not be received: another receiver, such as a second redrive, "
                    + "has locked or moved them. Run redrive again for what is left.";
        }

        return _progress.ToResult(_ended);
    }

    private async Task ReceiveAllAsync(CancellationToken stop, CancellationToken calls)
    {
        int empty = 0;
        int repeated = 0;

        // Those that stay are received again when their locks end.
        while (_wanted.Count + _uncompleted.Count > 0 && _ended is null && empty < EmptyReceives && repeated < EmptyReceives + _staying.Count)
        {
            stop.ThrowIfCancellationRequested();
            _progress.Report();
            ServiceBusReceivedMessage? letter;
            try
            {
                // One by one: a batch's remaining credit would lock dead letters that this run does not take.
                letter = await _letters.ReceiveMessageAsync(ReceiveWait, stop);
            }
            catch (Exception exception) when (!stop.IsCancellationRequested && ServiceBusFault.Of(exception).Kind == ServiceBusFaultKind.Unreadable)
            {
                // It stays locked until its lock ends.
                repeated++;
                continue;
            }
            catch (Exception exception) when (!stop.IsCancellationRequested)
            {
                // The client itself has retried.
                _ended = $"{ServiceBusFault.TextOf(exception).TrimEnd('.')}. Run redrive again for the rest.";
                return;
            }

            if (letter is null)
            {
                empty++;
                continue;
            }

            empty = 0;
            repeated = _moved.Contains(letter.SequenceNumber) || _staying.ContainsKey(letter.SequenceNumber) ? repeated + 1 : 0;
            await LookAtAsync(letter, stop, calls);
        }

        _hasRepeated = empty < EmptyReceives;
    }

    /// <summary>Those that arrived since <see cref="FindAsync"/>: which of them this run has sent.</summary>
    private async Task LookAtNewcomersAsync(CancellationToken stop)
    {
        int others = 0;
        try
        {
            await foreach (ServiceBusReceivedMessage letter in _peek.AllFromAsync(_last + 1, stop))
            {
                if (letter.MessageId is { } id && _sent.TryGetValue(id, out string? sentAs))
                {
                    _progress.AddAgain(sentAs, $"{Shown(letter.DeadLetterReason)}, now {Name(letter)}");
                }
                else
                {
                    others++;
                }
            }
        }
        catch (Exception exception) when (!stop.IsCancellationRequested)
        {
            _progress.AddNote($"Whether messages were dead-lettered again is not known: {ServiceBusFault.TextOf(exception)}");
        }

        if (others > 0)
        {
            _progress.AddNote($"{others:N0} dead letter(s) arrived while redrive ran; they stay.");
        }
    }

    private async Task LookAtAsync(ServiceBusReceivedMessage letter, CancellationToken stop, CancellationToken calls)
    {
        long number = letter.SequenceNumber;
        if (_moved.Contains(number))
        {
            // Its lock ended before it was completed.
            if (await TryCompleteAsync(letter, calls) is null && _uncompleted.Remove(number))
            {
                _progress.AddSent(toQueue: !_request.ToFolder);
            }

            return;
        }

        _staying[number] = Locked(letter);
        if (!_wanted.Contains(number))
        {
            return;
        }

        await _progress.WaitForRateAsync(stop);
        stop.ThrowIfCancellationRequested();
        _wanted.Remove(number);
        if ((_request.Folder is { } folder ? await KeepAsync(folder, letter, calls) : await SendAsync(letter, calls)) is { } error)
        {
            _progress.AddLeft(Name(letter), error);
            return;
        }

        _staying.Remove(number);
        _moved.Add(number);
        if (await TryCompleteAsync(letter, calls) is { } kept)
        {
            _uncompleted.Add(number, (Name(letter), kept));
            return;
        }

        _progress.AddSent(toQueue: !_request.ToFolder);
    }

    /// <returns>Why it stays; null when it was moved.</returns>
    private async Task<string?> SendAsync(ServiceBusReceivedMessage letter, CancellationToken calls)
    {
        try
        {
            ServiceBusMessage message = Copy(letter);
            // The client looks at the token between its attempts only.
            await _queue.SendMessageAsync(message, calls).WaitAsync(calls);
            _sent.Add(message.MessageId, Name(letter));
            _failedCalls = 0;
            return null;
        }
        catch (Exception exception)
        {
            ServiceBusFault fault = ServiceBusFault.Of(exception);
            if (fault.Kind is not ServiceBusFaultKind.TooLarge && ++_failedCalls >= FailedCalls)
            {
                _ended = $"{_failedCalls} sends in a row failed. Run redrive again when the queue accepts messages.";
            }

            return exception is OperationCanceledException ? "no answer before the interrupted command had to end; it may have been sent" : fault.Message;
        }
    }

    /// <returns>Why it stays; null when it is in the folder.</returns>
    private async Task<string?> KeepAsync(RedriveFolder folder, ServiceBusReceivedMessage letter, CancellationToken calls)
    {
        string? error;
        try
        {
            error = await folder.KeepAsync(RecordOf(letter), AmqpBody.Read(letter.GetRawAmqpMessage().Body), calls);
        }
        catch (DeadLetterException exception)
        {
            return exception.Message;
        }

        _ended ??= folder.Ended;
        return error;
    }

    // Without the worker's record the broker or another program moved it, or the record did not fit.
    private static DeadLetter RecordOf(ServiceBusReceivedMessage letter)
    {
        DeadLetter? record =
            DeadLetter.FromJson(letter.ApplicationProperties.TryGetValue(DeadLetterText.DetailsProperty, out object? details) ? details as string : null);
        return new DeadLetter
        {
            SourceId = (ServiceBusDelivery.OriginalId(letter) ?? letter.MessageId) is { Length: > 0 } id
                ? id
                : record?.SourceId ?? $"sequence-{letter.SequenceNumber}",
            Source = ServiceBusMessageSource.SourceName,
            Route = string.Empty,
            Reason = string.IsNullOrEmpty(letter.DeadLetterReason) ? DeadLetter.Unspecified : letter.DeadLetterReason,
            Description = letter.DeadLetterErrorDescription ?? string.Empty,
            ExceptionType = record?.ExceptionType,
            Exception = record?.Exception,
            Attempts = record?.Attempts ?? letter.DeliveryCount,
            FirstSeen = record?.FirstSeen ?? letter.EnqueuedTime,
            LastSeen = record?.LastSeen ?? letter.EnqueuedTime,
            Attributes = ServiceBusDelivery.AttributesOf(letter)
                .Where(static attribute =>
                    attribute.Key is not (DeadLetterText.DetailsProperty or ServiceBusDelivery.OriginalIdProperty or "DeadLetterReason"
                        or "DeadLetterErrorDescription"))
                .ToDictionary(StringComparer.Ordinal),
            Group = ServiceBusDelivery.GroupOf(letter),
            DeduplicationId = string.IsNullOrEmpty(letter.MessageId) ? null : letter.MessageId,
            SystemProperties = ServiceBusDelivery.SystemPropertiesOf(letter),
        };
    }

    /// <summary>The message as it was sent, but for its id.</summary>
    private static ServiceBusMessage Copy(ServiceBusReceivedMessage letter)
    {
        ServiceBusMessage message = new(letter);
        message.ApplicationProperties.Remove(DeadLetterText.DetailsProperty);
        ServiceBusDelivery.SetNewId(message, ServiceBusDelivery.OriginalId(letter) ?? letter.MessageId ?? string.Empty);
        return message;
    }

    private async Task<string?> TryCompleteAsync(ServiceBusReceivedMessage letter, CancellationToken calls)
    {
        string error = string.Empty;
        for (int attempt = 0; attempt < CompleteAttempts && !calls.IsCancellationRequested; attempt++)
        {
            try
            {
                await _letters.CompleteMessageAsync(letter, calls).WaitAsync(calls);
                return null;
            }
            catch (Exception exception)
            {
                ServiceBusFault fault = ServiceBusFault.Of(exception);
                error = exception is OperationCanceledException ? "no answer before the interrupted command had to end" : fault.Message;
                if (fault.Kind == ServiceBusFaultKind.LockLost)
                {
                    break;
                }
            }
        }

        return error;
    }

    /// <summary>Ends the locks of the dead letters that stay; where that fails they end by themselves.</summary>
    private async Task ReleaseAsync(bool interrupted)
    {
        using CancellationTokenSource limit = new(interrupted ? StopLimit : Timeout.InfiniteTimeSpan, _time);
        await Parallel.ForEachAsync(_staying.Values, new ParallelOptions { MaxDegreeOfParallelism = 32 }, async (letter, _) =>
            await _letters
                .AbandonMessageAsync(letter, cancellationToken: limit.Token)
                .WaitAsync(limit.Token)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing));
    }

    private static ReadOnlyMemory<byte> BodyOf(ServiceBusReceivedMessage letter)
    {
        try
        {
            return AmqpBody.Read(letter.GetRawAmqpMessage().Body);
        }
        catch (DeadLetterException exception)
        {
            return Encoding.UTF8.GetBytes($"({exception.Message})");
        }
    }

    private static ServiceBusReceivedMessage Locked(ServiceBusReceivedMessage letter) =>
        ServiceBusModelFactory.ServiceBusReceivedMessage(lockTokenGuid: Guid.Parse(letter.LockToken));

    private static string Shown(string? reason) => string.IsNullOrEmpty(reason) ? "(no reason)" : UntrustedText.Shorten(reason);

    private static string Name(ServiceBusReceivedMessage letter) =>
        UntrustedText.Shorten(string.IsNullOrEmpty(letter.MessageId) ? $"sequence-{letter.SequenceNumber}" : letter.MessageId);
}
