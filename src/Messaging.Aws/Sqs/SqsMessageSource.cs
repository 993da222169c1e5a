using Microsoft.Extensions.Logging;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Intake;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>
/// Messages of an SQS queue, standard or FIFO. Receives only as many as slots are reserved for, keeps them hidden by heartbeat until they
/// are settled, and deletes only stored or dead-lettered ones. The timeline is in docs/explanation/settlement.md. This file has the life
/// cycle; the others receive and settle.
/// </summary>
internal sealed partial class SqsMessageSource : IMessageSource, ISqsMessageOwner
{
    public const string SourceName = "sqs";

    private const int RetainedMessages = 4096;

    // A receive that is cut off leaves its messages hidden until their timeout. Where messages wait, the answer arrives within this time
    // and they are abandoned immediately; only a poll of an empty queue is cut off.
    private static readonly TimeSpan StopGrace = TimeSpan.FromMilliseconds(500);

    private static readonly Backoff ReceiveBackoff = new(TimeSpan.FromMilliseconds(250), TimeSpan.FromSeconds(30));

    private static readonly TimeSpan DefaultMessageTimeout = new IntakeOptions().MessageTimeout;

    private readonly SqsClient _client;
    private readonly SqsSourceOptions _options;
    private readonly TimeProvider _time;
    private readonly int _concurrency;
    private readonly string _route;
    private readonly MessageDestination _destination;
    private readonly SqsSourceLog _log;
    private readonly SqsQueueFinder _finder;
    private readonly SqsDeadLetters _deadLetters;
    private readonly InFlightMessages _inFlight;
    // A fault of a moment is retried; this long is one that an operator should know.
    private static readonly TimeSpan LongestFailure = TimeSpan.FromSeconds(30);

    private readonly Heartbeat _heartbeat;
    private readonly SettleLoop _deletes;
    private readonly SettleLoop _abandons;
    private readonly BoundedPool<SqsReceivedMessage> _messages = new(RetainedMessages);
    private readonly SemaphoreSlim _finding = new(1, 1);

    private volatile SqsQueues? _queues;
    private volatile bool _stopping;
    // The source counts as failing until SQS has answered once.
    private volatile string? _problem = "SQS has not answered since the start.";
    private int _receiveFailures = 1;

    private int _emptyAnswers;
    private bool _started;
    private int _disposed;

    /// <summary>Owns <paramref name="client"/>. <paramref name="messageTimeout"/> is <c>Intake:MessageTimeout</c>; null for its default.</summary>
    public SqsMessageSource(SqsClient client, SqsQueueReference queue, SqsSourceOptions options, SourceServices services, TimeSpan? messageTimeout = null)
    {
        _client = client;
        _options = options;
        _time = services.Time;
        _concurrency = services.Concurrency;
        _route = services.Route;
        _destination = queue.Destination;
        _log = new SqsSourceLog(services.Loggers.CreateLogger<SqsMessageSource>(), services.Route, services.Time);
        _finder = new SqsQueueFinder(client, queue, options);
        _deadLetters = new SqsDeadLetters(client, _log);

        // An attempt may begin just before the hold ends. After it the rest of a FIFO group may follow, one message after another.
        TimeSpan afterHold = (messageTimeout ?? DefaultMessageTimeout) * (queue.IsFifo ? SqsLimits.BatchEntries : 1);
        _inFlight = new InFlightMessages(services.Time, afterHold, options.DoneIds);
        _heartbeat = new Heartbeat(client, _inFlight, options, services.Time, _log);
        _deletes = Settling(deletes: true);
        _abandons = Settling(deletes: false);
        SqsSourceMetrics.Observe(services.Route, _inFlight);
        SettleLoop Settling(bool deletes) =>
            new(deletes, client, this, _destination, _inFlight, _heartbeat, options, services.Time, services.Concurrency, _log);
    }

    public string? Problem => _problem ?? SettleProblem;

    private string? SettleProblem => (_deletes.IsFull || _abandons.IsFull, _deletes.FailingFor > LongestFailure || _abandons.FailingFor > LongestFailure) switch
    {
        (true, _) => "Settled messages wait until SQS accepts them, and none are received meanwhile; the log has the reason.",
        (_, true) =>
            $"SQS has accepted no delete or visibility change of settled messages for more than {LongestFailure.TotalSeconds} s, "
                + "so it will redeliver them; the log has the reason.",
        _ => null,
    };

    /// <summary>Messages received and neither deleted nor abandoned yet.</summary>
    internal int InFlight => _inFlight.Count;

    /// <summary>Receive loops, and acknowledging workers, for a number of messages in flight: one per 10, the batch size.</summary>
    public static int LoopsFor(int concurrency) => (concurrency + SqsLimits.BatchEntries - 1) / SqsLimits.BatchEntries;

    // Under load a receive for one freed slot would cost as much as one for ten.
    private static int MinSlotsFor(int concurrency) => Math.Clamp(concurrency / 2, 1, SqsLimits.BatchEntries);

    /// <inheritdoc/>
    public async ValueTask<long?> CountDeadLettersAsync(CancellationToken cancellationToken)
    {
        if (_queues is not { } queues)
        {
            return null;
        }

        QueueAttributes letters = await _client.GetQueueAttributesAsync(queues.DeadLetterUrl, cancellationToken);
        return letters.Messages + letters.MessagesInFlight + letters.MessagesDelayed;
    }

    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        try
        {
            _queues = await _finder.FindAsync(cancellationToken);
            _receiveFailures = 0;
            _problem = null;
        }
        catch (AwsServiceException exception)
        {
            _problem = exception.Message;
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
            _abandons.Start(QueueUrl);
        }

        using CancellationTokenSource cutOff = new(Timeout.InfiniteTimeSpan, _time);
        await using CancellationTokenRegistration registration = stopReceiving.UnsafeRegister(_ =>
        {
            _stopping = true;
            cutOff.CancelAfter(StopGrace);
        }, state: null);

        // A loop that fails ends the others too, so that the route sees the failure and restarts them all.
        using CancellationTokenSource ending = CancellationTokenSource.CreateLinkedTokenSource(stopReceiving);
        await Task.WhenAll(Enumerable.Range(0, LoopsFor(_concurrency)).Select(_ => Task.Run(
            async () =>
            {
                try
                {
                    await LoopAsync(intake, ending.Token, cutOff.Token);
                }
                finally
                {
                    await ending.CancelAsync();
                }
            },
            CancellationToken.None)));
    }

    public async Task CloseAsync(CancellationToken cancellationToken)
    {
        if (_started)
        {
            await Task.WhenAll(_deletes.CloseAsync(cancellationToken), _abandons.CloseAsync(cancellationToken));
        }
    }

    /// <summary>May be called again. Messages whose settlement has not reached the queue are redelivered.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        await CloseAsync(new CancellationToken(canceled: true));
        await _heartbeat.DisposeAsync();
        _client.Dispose();
        _finding.Dispose();
    }

    /// <summary>Returns a message object to the pool. It is no longer in flight.</summary>
    internal void Recycle(SqsReceivedMessage message)
    {
        message.Reset();
        _messages.Return(message);
    }

    /// <summary>
    /// The time from its receive during which a message may be held. SQS counts the 12 hours from the receive, including the last renewal: held until
    /// then, a message is still hidden when it is abandoned.
    /// </summary>
    public TimeSpan HoldLimitFor(int deliveryCount) =>
        new HoldRule(_options.MaxHoldTime, TimeSpan.FromSeconds(SqsLimits.VisibilitySeconds) - _options.VisibilityTimeout, _queues!.MaxReceiveCount).LimitFor(
            deliveryCount);

    /// <summary>The remaining time for which a message may be held; called by the message.</summary>
    public TimeSpan TryHold(SqsReceivedMessage message)
    {
        TimeSpan age = _inFlight.AgeOf(message);
        if (age >= _options.MaxHoldTime && age < message.HoldLimit)
        {
            _log.HeldBeyondLimit(_options.MaxHoldTime, message.HoldLimit, _queues!.MaxReceiveCount);
        }

        return age < message.HoldLimit ? message.HoldLimit - age : TimeSpan.Zero;
    }

    private string QueueUrl() => _queues?.Url ?? throw new InvalidOperationException("Nothing can be in flight before the queue is found.");
}
