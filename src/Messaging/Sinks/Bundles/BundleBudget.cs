namespace Quayside.Messaging.Sinks.Bundles;

/// <summary>
/// State shared by all routes with bundles: the budget of waiting bytes, the order in which bundles were last added to, and the limit of
/// concurrent compressions. Its lock guards every open bundle, since the budget may close a bundle of another route.
/// </summary>
/// <param name="bytes">The budget in bytes.</param>
internal sealed class BundleBudget(long bytes)
{
    // Half of the cores at most: the others are for receiving.
    private static readonly int MaxCompressions = Math.Max(1, Environment.ProcessorCount / 2);

    private readonly LinkedList<Bundle> _byRecency = new();
    private long _pending;

    /// <summary>Guards all bundles, their waiters, and the members below. Never held during a blocking call.</summary>
    public Lock Gate { get; } = new();

    public SemaphoreSlim Compressions { get; } = new(MaxCompressions);

    /// <summary>The bundle to close when the budget is exceeded; null while it is not.</summary>
    public Bundle? Excess => _pending > bytes ? _byRecency.First?.Value : null;

    public void Open(Bundle bundle) => _byRecency.AddLast(bundle.InBudget);

    /// <summary>A message joined: the bundle becomes the most recent one.</summary>
    public void Add(Bundle bundle, int bytesOfMessage)
    {
        _pending += bytesOfMessage;
        _byRecency.Remove(bundle.InBudget);
        _byRecency.AddLast(bundle.InBudget);
    }

    /// <summary>A message left an open bundle.</summary>
    public void Release(int bytesOfMessage) => _pending -= bytesOfMessage;

    public void Close(Bundle bundle)
    {
        _pending -= bundle.Bytes;
        _byRecency.Remove(bundle.InBudget);
    }
}
