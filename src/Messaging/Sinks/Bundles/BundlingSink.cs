using Messaging.Recoverability;
using Microsoft.Extensions.Logging;
using Pipeline.Buffers;

namespace Messaging.Sinks.Bundles;

/// <summary>
/// Stores the messages of one key prefix together, as one object of the sink behind it. A message's task ends with its bundle's
/// object, so its slot, its heartbeat and its acknowledgement wait for that; nothing is copied until the bundle is compressed.
/// Allocates a few objects a bundle and nothing a message. Threads: any number at once. This file has the life cycle; the others fill and close bundles, and store them.
/// </summary>
internal sealed partial class BundlingSink : IObjectSink
{
    // While the worker stops, what still comes waits this long for company: a channel that is drained would otherwise end as an object a message.
    private static readonly TimeSpan AgeAtStop = TimeSpan.FromMilliseconds(100);

    // As many as the default intake stores at once without bundles.
    private const int StoresAtOnce = 64;

    private const int RetainedBundles = 64;

    private readonly IObjectSink _inner;
    private readonly int _maxMessages;
    private readonly long _maxBytes;
    private readonly int _mostPending;
    private readonly BundleBudget _budget;
    private readonly TimeProvider _time;
    private readonly CircuitBreaker? _breaker;
    private readonly ILogger _logger;
    private readonly BundleMetrics _metrics;
    private readonly ITimer _timer;
    private readonly BoundedPool<BundleWaiter> _waiters;
    private readonly BoundedPool<Bundle> _bundles = new(RetainedBundles);
    private readonly SemaphoreSlim _stores = new(StoresAtOnce);

    // From here on guarded by the budget's lock.
    private readonly Dictionary<byte[], Bundle> _open = new(ByteKeys.Comparer);
    private readonly Dictionary<byte[], Bundle>.AlternateLookup<ReadOnlySpan<byte>> _openByPrefix;
    private readonly LinkedList<Bundle> _leastRecent = new();
    private readonly LinkedList<Bundle> _byAge = new();
    private readonly LinkedList<Bundle> _storing = new();
    private readonly CompressionRatio _ratio = new();
    private TimeSpan _maxAge;
    private int _pendingMessages;
    private long _pendingBytes;
    private bool _stopping;

    // True after the sink failed, until it works again.
    private bool _failing;

    // The bundle that went out to see whether it does; no second one beside it.
    private Bundle? _probe;

    /// <param name="inner">Where bundles go; owned from here on.</param>
    /// <param name="options">Sizes and times.</param>
    /// <param name="limits">What the route's sources can bring.</param>
    /// <param name="budget">Shared by all routes.</param>
    /// <param name="services">Loggers and the clock.</param>
    public BundlingSink(IObjectSink inner, BundlesOptions options, BundleLimits limits, BundleBudget budget, SinkServices services)
    {
        _inner = inner;
        _maxMessages = options.MaxMessages;
        _maxBytes = options.MaxBytes;
        _maxAge = options.MaxAge;
        _mostPending = limits.MostPending;
        _budget = budget;
        _time = services.Time;
        _breaker = services.Breaker;
        _logger = services.Loggers.CreateLogger<BundlingSink>();
        _metrics = new BundleMetrics(limits.Route);
        _waiters = new BoundedPool<BundleWaiter>(limits.InFlight);
        _openByPrefix = _open.GetAlternateLookup<ReadOnlySpan<byte>>();
        _timer = _time.CreateTimer(static sink => ((BundlingSink)sink!).CloseAged(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _metrics.Observe(() => PendingMessages, () => PendingBytes);
    }

    public string Name => $"{_inner.Name}-bundles";

    public string? Problem => _inner.Problem;

    /// <summary>Bundles stored since the start.</summary>
    public long Objects => _metrics.Objects;

    /// <summary>Messages that wait in open bundles.</summary>
    public int PendingMessages
    {
        get
        {
            lock (_budget.Gate)
            {
                return _pendingMessages;
            }
        }
    }

    /// <summary>Bytes of their bodies.</summary>
    public long PendingBytes
    {
        get
        {
            lock (_budget.Gate)
            {
                return _pendingBytes;
            }
        }
    }

    // The breaker may be open for longer than the sink's last failure is: its single probe must not wait for company that cannot come.
    private bool IsProbing => _failing || _breaker is { State: not BreakerState.Closed };

    public Task CheckAsync(CancellationToken cancellationToken) => _inner.CheckAsync(cancellationToken);

    public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<SinkResult>(cancellationToken);
        }

        if (!_waiters.TryTake(out BundleWaiter? waiter))
        {
            waiter = new BundleWaiter(this);
        }

        waiter.Open(key, body, cancellationToken);
        bool joined;
        lock (_budget.Gate)
        {
            joined = Join(waiter);
        }

        if (joined)
        {
            return waiter.Start();
        }

        waiter.Reset();
        _waiters.Return(waiter);

        // Shared with no other message, but the sink was not reached: it is no news for the breaker.
        return new ValueTask<SinkResult>(new SinkResult(SinkStatus.Collision, "Another message of the same bundle has this key and other bytes.", IsShared: true));
    }

    public void StopWaiting()
    {
        lock (_budget.Gate)
        {
            _stopping = true;
            _maxAge = _maxAge < AgeAtStop ? _maxAge : AgeAtStop;
            while (_byAge.First is { } oldest)
            {
                Close(oldest.Value, FlushReason.Shutdown);
            }
        }
    }

    public string Locate(string key) => _inner.Locate(key);

    public async ValueTask DisposeAsync()
    {
        await _timer.DisposeAsync();
        lock (_budget.Gate)
        {
            foreach (Bundle bundle in _storing)
            {
                _ = bundle.Cancellation.CancelAsync();
            }
        }

        await _inner.DisposeAsync();
    }

    /// <summary>
    /// The caller's token has ended. A message leaves its bundle as long as nothing reads it; once the bundle is being stored, it
    /// waits for the result, unless all of the bundle's messages are cancelled: then the storing is.
    /// </summary>
    internal void Cancel(BundleWaiter waiter)
    {
        CancellationTokenSource? unwanted;
        bool leaves;
        lock (_budget.Gate)
        {
            if (waiter.IsCancelled || waiter.Bundle is not { } bundle)
            {
                return;
            }

            waiter.IsCancelled = true;
            leaves = !bundle.IsBeingStored;
            if (leaves)
            {
                Leave(bundle, waiter);
            }
            else
            {
                bundle.Cancelled++;
            }

            unwanted = bundle.Messages == bundle.Cancelled ? bundle.Cancellation : null;
        }

        if (leaves)
        {
            waiter.Complete(null);
        }

        _ = unwanted?.CancelAsync();
    }

    internal void Return(BundleWaiter waiter) => _waiters.Return(waiter);
}
