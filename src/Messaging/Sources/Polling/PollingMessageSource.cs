using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Behaviors;

namespace Quayside.Messaging.Sources.Polling;

/// <summary>
/// A source whose messages are items that it claims: files of a folder, rows of a table, objects below a prefix. A subclass says how items are claimed, read,
/// completed and released; this class polls, reserves slots, redelivers abandoned messages after their delay, and writes dead letters to the worker's store,
/// so its <see cref="SourcePlan.KeepsDeadLetters"/> is true. Delivery is at least once if items that a killed process has claimed can be claimed again.
/// Threads: one polls, any settle.
/// </summary>
/// <typeparam name="TItem">What identifies an item, such as a file name.</typeparam>
public abstract partial class PollingMessageSource<TItem> : IPollingSource
    where TItem : notnull
{
    // Abandoned items stay claimed while they wait: so many that fail must not claim everything.
    private const int MaxWaiting = 1_000;

    private const int MaxClaim = 32;

    private static readonly Backoff FailureBackoff = new(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(30));
    private static readonly TimeSpan MinFailurePause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan LogInterval = TimeSpan.FromMinutes(1);

    private readonly SourceServices _services;
    private readonly ThrottlingLogger _log;
    private readonly CancellationTokenSource _closing = new();

    // Claimed items that are not in flight: they wait for their delay, or are due.
    private readonly ConcurrentDictionary<PolledMessage<TItem>, bool> _waiting = new();
    private readonly ConcurrentQueue<PolledMessage<TItem>> _due = new();
    private TaskCompletionSource _wake = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private string? _problem;

    // Whether any item can be read, and any completed; and the last item that cannot be read.
    private readonly FailureRun _reads;
    private readonly FailureRun _completions;
    private (PolledMessage<TItem> Message, string Warning)? _unread;

    /// <param name="services">What its plan's <c>Create</c> was called with.</param>
    protected PollingMessageSource(SourceServices services)
    {
        ArgumentNullException.ThrowIfNull(services);
        _services = services;
        _reads = new FailureRun(services.Time);
        _completions = new FailureRun(services.Time);
        _log = new ThrottlingLogger(services.Loggers.CreateLogger(GetType()), services.Time, LogInterval);
    }

    /// <inheritdoc/>
    /// <remarks>An override combines it with its own: <c>base.Problem ?? …</c>.</remarks>
    public virtual string? Problem => Volatile.Read(ref _problem) ?? _reads.Problem ?? _completions.Problem;

    /// <inheritdoc/>
    public virtual string? Warning
    {
        get
        {
            lock (_due)
            {
                return _unread?.Warning;
            }
        }
    }

    /// <summary>
    /// The pause after a claim that found fewer items than asked for; default 100 ms. It doubles with each empty claim, up to <see cref="MaxPollInterval"/>.
    /// </summary>
    protected virtual TimeSpan MinPollInterval => TimeSpan.FromMilliseconds(100);

    /// <summary>The longest pause between two claims; default 5 s.</summary>
    protected virtual TimeSpan MaxPollInterval => TimeSpan.FromSeconds(5);

    /// <summary>Fails fast when the source can never work as configured, and makes items claimable again that a killed process had claimed.</summary>
    /// <exception cref="Configuration.StartupException">The source can never work; the message says what to do.</exception>
    public virtual Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public async Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving)
    {
        ArgumentNullException.ThrowIfNull(intake);
        TimeSpan pause = MinPollInterval;
        int failures = 0;
        while (!stopReceiving.IsCancellationRequested)
        {
            Task wake = Volatile.Read(ref _wake).Task;
            try
            {
                Polled polled;
                using (SlotLease slots = await intake.ReserveAsync(1, Math.Min(_services.Concurrency, MaxClaim), stopReceiving))
                {
                    polled = await DeliverAsync(slots, stopReceiving);
                }

                if (failures > 0)
                {
                    failures = 0;
                    Volatile.Write(ref _problem, null);
                }

                if (polled == Polled.Full)
                {
                    pause = MinPollInterval;
                    continue;
                }

                pause = polled == Polled.Some ? MinPollInterval : pause < MaxPollInterval / 2 ? pause * 2 : MaxPollInterval;
                await WaitAsync(wake, pause, stopReceiving);
            }
            catch (OperationCanceledException) when (stopReceiving.IsCancellationRequested)
            {
                return;
            }
            catch (Exception exception)
            {
                // Of the subclass: a folder that cannot be listed, a database that is down.
                TimeSpan retry = FailureBackoff.After(++failures, MinFailurePause);
                Volatile.Write(ref _problem, $"Items cannot be claimed: {UntrustedText.MessageOf(exception)}");
                PollingLog.ClaimFailed(_log, exception, _services.Route, _services.Name, DurationText.Of(retry));
                await Task.Delay(retry, _services.Time, stopReceiving).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    /// <summary>Releases the items that wait for redelivery. Items in flight are released when they are settled.</summary>
    public async Task CloseAsync(CancellationToken cancellationToken)
    {
        await _closing.CancelAsync();
        foreach (PolledMessage<TItem> message in _waiting.Keys)
        {
            if (_waiting.TryRemove(message, out _))
            {
                await TryReleaseAsync(message);
            }
        }
    }

    /// <summary>Stops its timers. Items that are still claimed stay so, as after a kill; <see cref="CloseAsync"/> releases them.</summary>
    public virtual async ValueTask DisposeAsync()
    {
        await _closing.CancelAsync();
        GC.SuppressFinalize(this);
    }

    /// <summary>Claims items, so that no other call and no other process gets them: by renaming a file, or by <c>UPDATE … SKIP LOCKED</c>.</summary>
    /// <param name="max">The maximum number of items to claim, 1 or more.</param>
    /// <param name="cancellationToken">Cancelled when the worker stops. An item that was claimed must still be returned.</param>
    /// <returns>The claimed items, the oldest first; empty when there are none.</returns>
    /// <remarks>
    /// An exception is logged and shown on the readiness page; the claim is repeated with backoff. Items that an exception keeps from being returned
    /// stay claimed.
    /// </remarks>
    protected abstract ValueTask<IReadOnlyList<TItem>> ClaimAsync(int max, CancellationToken cancellationToken);

    /// <summary>The message's id: the same for each delivery of an item, and different for different items. Not empty.</summary>
    /// <remarks>For an item without one, or after an exception, see <see cref="ReadAsync"/>; the other items are delivered.</remarks>
    protected abstract string GetId(TItem item);

    /// <summary>When the item entered the source, for the age of its message; null where that is unknown.</summary>
    protected virtual DateTimeOffset? GetEnqueuedAt(TItem item) => null;

    /// <summary>Reads the body of a claimed item; called before each delivery.</summary>
    /// <remarks>
    /// After an exception the item stays claimed and is read again with backoff, at most 30 s. It is named in the log (event 3011) and in
    /// <see cref="Warning"/>, and in <see cref="Problem"/> when the last ten items failed so.
    /// </remarks>
    protected abstract ValueTask<ReadOnlyMemory<byte>> ReadAsync(TItem item, CancellationToken cancellationToken);

    /// <summary>Removes an item whose message is done: stored, or written to the dead letters. After an exception the message is redelivered.</summary>
    protected abstract ValueTask CompleteAsync(TItem item, CancellationToken cancellationToken);

    /// <summary>Gives up the claim, so that the item can be claimed again; called when the worker stops. An exception is logged.</summary>
    protected abstract ValueTask ReleaseAsync(TItem item, CancellationToken cancellationToken);

    private async ValueTask<Polled> DeliverAsync(SlotLease slots, CancellationToken stop)
    {
        bool any = false;
        while (slots.Count > 0 && _due.TryDequeue(out PolledMessage<TItem>? due))
        {
            any = true;
            await DeliverAsync(due, slots, stop);
        }

        if (slots.Count == 0)
        {
            return Polled.Full;
        }

        if (_waiting.Count >= MaxWaiting)
        {
            return any ? Polled.Some : Polled.None;
        }

        int asked = slots.Count;
        IReadOnlyList<TItem> items = await ClaimAsync(asked, stop)
            ?? throw Defect("ClaimAsync returned null. Return the claimed items, or an empty list when there are none.");
        PolledMessage<TItem>[] messages = [.. items.Where(static item => item is not null).Select(item => new PolledMessage<TItem>(this, item))];
        foreach (PolledMessage<TItem> message in messages)
        {
            // Waiting until it is in flight: whatever happens here, it is delivered later or released.
            _waiting.TryAdd(message, true);
        }

        foreach (PolledMessage<TItem> message in messages)
        {
            if (slots.Count > 0 && !stop.IsCancellationRequested)
            {
                await DeliverAsync(message, slots, stop);
            }
            else
            {
                _due.Enqueue(message);
            }
        }

        if (messages.Length < items.Count)
        {
            throw Defect($"ClaimAsync returned {items.Count - messages.Length} null item(s) of {items.Count}. Return only items that were claimed.");
        }

        return items.Count >= asked ? Polled.Full : any || items.Count > 0 ? Polled.Some : Polled.None;
    }

    private async ValueTask DeliverAsync(PolledMessage<TItem> message, SlotLease slots, CancellationToken stop)
    {
        ReadOnlyMemory<byte> body;
        try
        {
            if (message.Id is null)
            {
                string? id = GetId(message.Item);
                message.Identify(
                    string.IsNullOrEmpty(id) ? throw Defect("GetId returned no id. Return the same text for each delivery of the item.") : id,
                    GetEnqueuedAt(message.Item));
            }

            body = await ReadAsync(message.Item, stop);
        }
        catch (Exception exception)
        {
            // Not an abandonment: without a body there is no message, and a dead letter would be empty.
            TimeSpan retry = FailureBackoff.After(++message.Failures, MinFailurePause);
            if (!stop.IsCancellationRequested)
            {
                string name = NameOf(message);
                string why = $"{name} cannot be read: {UntrustedText.Shorten(UntrustedText.MessageOf(exception))} "
                    + $"It stays claimed and is read again every {DurationText.Of(FailureBackoff.Cap)} at most.";
                _reads.Failed(
                    RuntimeHelpers.GetHashCode(message),
                    $"The source {_services.Name} could read none of the last {FailureRun.Limit} items; the last one: {why}");
                lock (_due)
                {
                    _unread = (message, $"The source {_services.Name}: {why}");
                }

                PollingLog.ReadFailed(_log, exception, _services.Route, _services.Name, name, DurationText.Of(retry));
            }

            _ = BecomeDueAsync(message, retry);
            return;
        }

        message.Failures = 0;
        Read(message);
        message.BeginDelivery(body);
        _waiting.TryRemove(message, out _);
        slots.Accept(message);
    }

    private void Read(PolledMessage<TItem> message)
    {
        if (!_reads.Any && _unread is null)
        {
            return;
        }

        _reads.Passed();
        lock (_due)
        {
            _unread = _unread?.Message == message ? null : _unread;
        }
    }

    private PartDefectException Defect(string problem) => new($"the source {_services.Name}", $"has a defect: {problem}");

    // The id, or the item: its text is foreign code, too.
    private static string NameOf(PolledMessage<TItem> message)
    {
        try
        {
            return UntrustedText.Shorten(message.Id ?? $"{message.Item}");
        }
        catch (Exception)
        {
            return typeof(TItem).Name;
        }
    }

    private async Task BecomeDueAsync(PolledMessage<TItem> message, TimeSpan delay)
    {
        if (delay > TimeSpan.Zero)
        {
            await Task.Delay(delay, _services.Time, _closing.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        _due.Enqueue(message);
        Volatile.Read(ref _wake).TrySetResult();
    }

    /// <summary>Waits for the pause, or until a message is due.</summary>
    private async Task WaitAsync(Task wake, TimeSpan pause, CancellationToken stop)
    {
        if (!wake.IsCompleted)
        {
            using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(stop);
            await Task.WhenAny(wake, Task.Delay(pause, _services.Time, either.Token));
            await either.CancelAsync();
        }

        if (wake.IsCompleted)
        {
            // Before the queue is read again: a message that becomes due afterwards completes the new one.
            Interlocked.Exchange(ref _wake, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
        }
    }

    private enum Polled
    {
        None,
        Some,
        Full,
    }
}

/// <summary>A source whose dead letters go to the worker's folder.</summary>
internal interface IPollingSource : IMessageSource;
