namespace Messaging.Sinks.Bundles;

/// <summary>
/// What all bundling routes of the process share: the budget of bytes that wait, the order in which bundles were last added to,
/// and the right to compress. Its lock guards every open bundle, since the budget may close a bundle of another route.
/// </summary>
/// <param name="bytes">The budget.</param>
internal sealed class BundleBudget(long bytes)
{
    // Half of the cores at most: the others receive.
    private static readonly int CompressAtOnce = Math.Max(1, Environment.ProcessorCount / 2);

    private readonly LinkedList<Bundle> _leastRecent = new();
    private long _pending;

    /// <summary>Guards all bundles, their waiters, and the members below. Held for a few steps, never over a call that waits.</summary>
    public Lock Gate { get; } = new();

    public SemaphoreSlim Compressions { get; } = new(CompressAtOnce);

    /// <summary>The bundle to close when the budget is exceeded; null while it is not.</summary>
    public Bundle? Excess => _pending > bytes ? _leastRecent.First?.Value : null;

    public void Open(Bundle bundle) => _leastRecent.AddLast(bundle.InBudget);

    /// <summary>A message joined: the bundle is the most recent one.</summary>
    public void Add(Bundle bundle, int bytesOfMessage)
    {
        _pending += bytesOfMessage;
        _leastRecent.Remove(bundle.InBudget);
        _leastRecent.AddLast(bundle.InBudget);
    }

    /// <summary>A message left an open bundle.</summary>
    public void Release(int bytesOfMessage) => _pending -= bytesOfMessage;

    public void Close(Bundle bundle)
    {
        _pending -= bundle.Bytes;
        _leastRecent.Remove(bundle.InBudget);
    }
}
