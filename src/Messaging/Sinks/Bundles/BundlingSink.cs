using Microsoft.Extensions.Logging;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Tasks;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Sinks.Bundles;

/// <summary>
/// Stores messages with the same key prefix as one object of the inner sink. A message's task completes when that object is stored, so its
/// slot, heartbeat and acknowledgement wait for it; nothing is copied until the bundle is compressed. Allocates a few objects per bundle
/// and none per message. Threads: any number concurrently. This file contains the life cycle; the others fill, close and store bundles.
/// </summary>
internal sealed partial class BundlingSink : WaitingRoom<Bundle>, IObjectSink
{
    // As many as the default intake stores concurrently without bundles.
    private const int MaxStores = 64;

    private const int RetainedBundles = 64;

    // Of all routes: half of the cores at most, the others are for receiving.
    private static readonly SemaphoreSlim Compressions = new(Math.Max(1, Environment.ProcessorCount / 2));

    private readonly IObjectSink _inner;
    private readonly int _maxMessages;
    private readonly long _maxBytes;
    private readonly BundleLimits _limits;
    private readonly IBreaker? _breaker;
    private readonly ILogger _logger;
    private readonly LogThrottles<Type> _failures;
    private readonly BundleMetrics _metrics;
    private readonly BoundedPool<BundleWaiter> _waiters;
    private readonly BoundedPool<Bundle> _bundles = new(RetainedBundles);
    private readonly SemaphoreSlim _stores = new(MaxStores);

    // The fields below are guarded by the lock.
    private readonly Dictionary<byte[], Bundle> _open = new(ByteKeys.Comparer);
    private readonly Dictionary<byte[], Bundle>.AlternateLookup<ReadOnlySpan<byte>> _openByPrefix;
    private readonly LinkedList<Bundle> _byRecency = new();
    private readonly LinkedList<Bundle> _byAge = new();
    private readonly LinkedList<Bundle> _storing = new();
    private readonly CompressionRatio _ratio = new();
    private int _pendingMessages;
    private long _pendingBytes;

    // True after a failure of the sink, until it works again.
    private bool _failing;

    // The one bundle that probes whether the sink works again; null without one.
    private Bundle? _probe;

    /// <param name="inner">The sink that stores the bundles; owned by this object.</param>
    /// <param name="options">Sizes and times.</param>
    /// <param name="limits">The limits of the route's sources.</param>
    /// <param name="services">Loggers and the clock.</param>
    public BundlingSink(IObjectSink inner, BundlesOptions options, BundleLimits limits, SinkServices services)
        : base(new Lock(), services.Time, options.MaxAge)
    {
        _inner = inner;
        _maxMessages = options.MaxMessages;
        _maxBytes = options.MaxBytes;
        _limits = limits;
        _breaker = services.Breaker;
        _logger = services.Loggers.CreateLogger<BundlingSink>();
        _failures = new LogThrottles<Type>(services.Time, TimeSpan.FromSeconds(10));
        _metrics = new BundleMetrics(limits.Route);
        _waiters = new BoundedPool<BundleWaiter>(limits.InFlight);
        _openByPrefix = _open.GetAlternateLookup<ReadOnlySpan<byte>>();
        _metrics.Observe(() => PendingMessages, () => PendingBytes);
    }

    public string? Problem => _inner.Problem;

    /// <summary>Bundles stored since the start.</summary>
    public long Objects => _metrics.Objects;

    /// <summary>Messages that wait in open bundles.</summary>
    public int PendingMessages => Volatile.Read(ref _pendingMessages);

    /// <summary>Body bytes of the messages in open bundles.</summary>
    public long PendingBytes => Volatile.Read(ref _pendingBytes);

    protected override Bundle? Oldest => _byAge.First?.Value;

    // Checks the breaker, too: while it is not closed, its probe is the only message and must not wait for others.
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

        waiter.Open(key, body);
        bool joined;
        lock (Gate)
        {
            joined = Join(waiter);
        }

        if (joined)
        {
            return waiter.Start(cancellationToken);
        }

        waiter.Recycle();

        // IsShared, since the sink was not called and the breaker must not count it.
        return new ValueTask<SinkResult>(
            new SinkResult(SinkStatus.Collision, "Another message of the same bundle has this key and other bytes.", IsShared: true));
    }

    public override void StopWaiting()
    {
        base.StopWaiting();
        _inner.StopWaiting();
    }

    public string Locate(string key) => _inner.Locate(key);

    public async ValueTask DisposeAsync()
    {
        await Timer.DisposeAsync();
        lock (Gate)
        {
            foreach (Bundle bundle in _storing)
            {
                _ = bundle.Cancellation.CancelAsync();
            }
        }

        await _inner.DisposeAsync();
    }

    internal void Return(BundleWaiter waiter) => _waiters.Return(waiter);
}
