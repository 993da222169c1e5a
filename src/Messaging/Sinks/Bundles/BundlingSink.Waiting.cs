namespace Quayside.Messaging.Sinks.Bundles;

/// <summary>Filling and closing bundles. Everything runs under the lock; the timer and cancelled messages take it.</summary>
internal sealed partial class BundlingSink
{
    private bool Join(BundleWaiter waiter)
    {
        ReadOnlySpan<byte> prefix = BundleName.PrefixOf(waiter.Key.Span);
        if (!_openByPrefix.TryGetValue(prefix, out Bundle? bundle))
        {
            bundle = Open(prefix);
        }

        if (!bundle.TryAdd(waiter))
        {
            return false;
        }

        _pendingMessages++;
        _pendingBytes += waiter.Body.Length;
        _byRecency.Remove(bundle.InSink);
        _byRecency.AddLast(bundle.InSink);
        if (FindReason(bundle) is { } reason)
        {
            Close(bundle, reason);
        }

        while (_pendingMessages >= _limits.MaxPending)
        {
            Close(_byRecency.First!.Value, FlushReason.Slots);
        }

        while (_pendingBytes > _limits.MaxPendingBytes)
        {
            Close(_byRecency.First!.Value, FlushReason.Memory);
        }

        return true;
    }

    private Bundle Open(ReadOnlySpan<byte> prefix)
    {
        if (!_bundles.TryTake(out Bundle? bundle))
        {
            bundle = new Bundle(this);
        }

        bundle.Open(prefix.ToArray(), NextDeadline());
        _open.Add(bundle.Prefix, bundle);
        _byRecency.AddLast(bundle.InSink);
        _byAge.AddLast(bundle.ByAge);
        if (_byAge.Count == 1)
        {
            SetTimer();
        }

        return bundle;
    }

    private FlushReason? FindReason(Bundle bundle)
    {
        if (bundle.Messages >= _maxMessages)
        {
            return FlushReason.Count;
        }

        if (_ratio.Estimate(bundle.Bytes) >= _maxBytes)
        {
            return FlushReason.Size;
        }

        return _probe is null && IsProbing ? FlushReason.Probe : null;
    }

    /// <summary>Closes the bundle for new messages and starts to store it.</summary>
    private void Close(Bundle bundle, FlushReason reason)
    {
        Forget(bundle);
        bundle.Close(reason);
        _storing.AddLast(bundle.InSink);
        if (reason == FlushReason.Probe)
        {
            _probe = bundle;
        }

        ThreadPool.UnsafeQueueUserWorkItem(bundle, preferLocal: false);
    }

    private void Forget(Bundle bundle)
    {
        _open.Remove(bundle.Prefix);
        _byRecency.Remove(bundle.InSink);
        _byAge.Remove(bundle.ByAge);
        _pendingMessages -= bundle.Messages;
        _pendingBytes -= bundle.Bytes;
    }

    /// <summary>
    /// A message leaves its bundle until that is being stored; then it waits for the result, unless all messages of the bundle are
    /// cancelled, which cancels the store.
    /// </summary>
    internal bool TryLeave(Bundle bundle, BundleWaiter waiter)
    {
        if (bundle.IsBeingStored)
        {
            bundle.Cancelled++;
            return false;
        }

        bundle.Remove(waiter);
        if (!bundle.IsOpen)
        {
            return true;
        }

        _pendingMessages--;
        _pendingBytes -= waiter.Body.Length;
        if (bundle.Messages == 0)
        {
            // Not pooled: an empty bundle is rare.
            bundle.Close(default);
            Forget(bundle);
        }

        return true;
    }

    protected override void CloseAged(Bundle group) => Close(group, IsStopping ? FlushReason.Shutdown : FlushReason.Age);
}
