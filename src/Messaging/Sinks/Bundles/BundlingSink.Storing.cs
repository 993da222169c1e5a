using System.Diagnostics;
using System.Runtime.InteropServices;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Sinks.Bundles;

/// <summary>The storing of closed bundles.</summary>
internal sealed partial class BundlingSink
{
    // Buffers start here and double; most bundles are larger, few are much smaller.
    private const int StartSize = 64 << 10;

    /// <summary>Stores a closed bundle and completes its messages. Never throws.</summary>
    internal async Task FlushAsync(Bundle bundle)
    {
        CancellationToken unwanted = bundle.Cancellation.Token;
        try
        {
            await _stores.WaitAsync(unwanted);
            try
            {
                if (Begin(bundle))
                {
                    _metrics.Flushed(bundle.Reason);
                    // Sorted by key, so that the same messages give the same object in any order of arrival.
                    bundle.Entries.Sort(static (x, y) => x.Key.Span.SequenceCompareTo(y.Key.Span));
                    await StoreAsync(bundle, 0, bundle.Entries.Count, unwanted);
                }
            }
            finally
            {
                _stores.Release();
            }
        }
        catch (OperationCanceledException) when (unwanted.IsCancellationRequested)
        {
            // Finish cancels the entries without an outcome.
        }
        catch (Exception exception)
        {
            // Any message may be the cause, so none may be dead-lettered for it.
            SafeLog.Try(() => ReportFailed(exception, bundle.Entries.Count));
            bundle.Failed = Begin(bundle);
            SinkStatus status = exception is ServiceRefusedException ? SinkStatus.Refused : SinkStatus.Transient;
            string detail = $"A bundle could not be stored: {exception.GetType().Name}: {UntrustedText.MessageOf(exception)}";
            Conclude(bundle, 0, bundle.Entries.Count, new SinkResult(status, detail, Exhausted: true));
        }

        Finish(bundle);
    }

    /// <summary>Marks the bundle as being stored; from here on no message can leave it.</summary>
    /// <returns>False when all messages have left.</returns>
    private bool Begin(Bundle bundle)
    {
        lock (Gate)
        {
            bundle.IsBeingStored = true;
            return bundle.Messages > 0;
        }
    }

    private async Task StoreAsync(Bundle bundle, int first, int count, CancellationToken cancellationToken)
    {
        SinkResult result;
        int size;
        using (PooledBuffer content = BufferPool.Shared.Rent(StartSize))
        {
            byte[] name;
            await Compressions.WaitAsync(cancellationToken);
            try
            {
                name = Compress(bundle, first, count, content, cancellationToken);
            }
            finally
            {
                Compressions.Release();
            }

            size = content.Length;
            if (MessageSpans.IsListening)
            {
                MessageSpans.LinkCalls(SpansOf(bundle, first, count));
            }

            try
            {
                result = await _inner.StoreAsync(name, content.WrittenMemory, cancellationToken);
            }
            catch (DeadLetterException poison)
            {
                result = new SinkResult(SinkStatus.Rejected, UntrustedText.MessageOf(poison));
            }
        }

        switch (result.Status)
        {
            case SinkStatus.Stored or SinkStatus.AlreadyStored:
                bundle.Worked = true;
                _metrics.Stored(count, size);
                break;

            case SinkStatus.Rejected when count > 1:
                // The bundle is too large or one message is at fault: only a message that is rejected alone is poison.
                bundle.Worked = true;
                SafeLog.Try(() => LogSplit(count, size, result.Detail));
                await StoreAsync(bundle, first, count / 2, cancellationToken);
                await StoreAsync(bundle, first + (count / 2), count - (count / 2), cancellationToken);
                return;

            case SinkStatus.Rejected:
                bundle.Worked = true;
                break;

            case SinkStatus.Collision:
                // The key contains a hash of the bytes, so the stored object was changed and may lack the messages. Redelivered, they
                // are stored in another bundle with another key.
                result = new SinkResult(
                    SinkStatus.Transient,
                    $"The object with the bundle's key holds other bytes, so it was changed after it was stored. {result.Detail}".TrimEnd());
                bundle.Failed = true;
                break;

            default:
                bundle.Failed = true;
                break;
        }

        // Exhausted, or each message would retry by itself; redelivery puts them into a new bundle.
        Conclude(bundle, first, count, result with { Exhausted = result.Status == SinkStatus.Transient });
    }

    private static List<Activity?> SpansOf(Bundle bundle, int first, int count)
    {
        List<Activity?> spans = [];
        foreach (BundleWaiter entry in bundle.Entries.GetRange(first, count))
        {
            for (BundleWaiter? waiter = entry; waiter is not null; waiter = waiter.Next)
            {
                spans.Add(waiter.Span);
            }
        }

        return spans;
    }

    private byte[] Compress(Bundle bundle, int first, int count, PooledBuffer content, CancellationToken cancellationToken)
    {
        ReadOnlySpan<BundleWaiter> entries = CollectionsMarshal.AsSpan(bundle.Entries).Slice(first, count);
        BundleContent.Write(entries, content, cancellationToken);
        long raw = 0;
        foreach (BundleWaiter entry in entries)
        {
            raw += entry.Body.Length;
        }

        lock (Gate)
        {
            _ratio.Learn(raw, content.Length);
        }

        return BundleName.Create(bundle.Prefix, entries, content.WrittenSpan);
    }

    /// <summary>Sets the outcome of entries without one.</summary>
    private static void Conclude(Bundle bundle, int first, int count, SinkResult result)
    {
        foreach (BundleWaiter entry in CollectionsMarshal.AsSpan(bundle.Entries).Slice(first, count))
        {
            if (entry.Outcome is null)
            {
                entry.Outcome = result;

                // The breaker gets one outcome per object; the other entries share it.
                result = result with { IsShared = true };
            }
        }
    }

    /// <summary>Completes the messages, and closes the next bundle if the sink needs another probe.</summary>
    private void Finish(Bundle bundle)
    {
        lock (Gate)
        {
            // Detached, so that from here on no cancellation affects them.
            foreach (BundleWaiter entry in bundle.Entries)
            {
                for (BundleWaiter? waiter = entry; waiter is not null; waiter = waiter.Next)
                {
                    waiter.Group = null;
                }
            }

            _storing.Remove(bundle.InSink);
            _failing = bundle.Failed || (_failing && !bundle.Worked);
            _probe = _probe == bundle ? null : _probe;
            if (_probe is null && IsProbing && Oldest is { } oldest)
            {
                Close(oldest, FlushReason.Probe);
            }
        }

        foreach (BundleWaiter entry in bundle.Entries)
        {
            CompleteEntry(entry);
        }

        bundle.Reset();
        _bundles.Return(bundle);
    }

    private static void CompleteEntry(BundleWaiter entry)
    {
        SinkResult? outcome = entry.Outcome;
        SinkResult? repeated = outcome is { Status: SinkStatus.Stored } ? SinkResult.AlreadyStored : outcome;
        repeated = repeated is { } shared ? shared with { IsShared = true } : null;

        // Read first, since a completed waiter may be reused immediately.
        BundleWaiter? repeat = entry.Next;
        Complete(entry, outcome);
        while (repeat is not null)
        {
            BundleWaiter waiter = repeat;
            repeat = waiter.Next;
            Complete(waiter, repeated);
        }
    }

    private static void Complete(BundleWaiter waiter, SinkResult? outcome)
    {
        if (outcome is null && waiter.IsCancelled)
        {
            waiter.CompleteCancelled();
        }
        else
        {
            waiter.Complete(outcome ?? new SinkResult(SinkStatus.Transient, "The worker ended before the bundle was stored.", Exhausted: true, IsShared: true));
        }
    }

    private void ReportFailed(Exception exception, int messages)
    {
        if (_failures.ShouldLog(exception.GetType(), out SuppressedLines suppressed))
        {
            LogFailed(exception, messages, suppressed);
        }
    }

    [LoggerMessage(
        4151, LogLevel.Error, "A bundle of {Messages} message(s) could not be stored; its messages are held or abandoned, and join other bundles{Suppressed}")]
    private partial void LogFailed(Exception exception, int messages, SuppressedLines suppressed);

    [LoggerMessage(
        4152, LogLevel.Warning,
        "The sink rejects a bundle of {Messages} messages, {Bytes} bytes: {Detail} It is stored in two halves; "
            + "if the bundle is too large for the sink, lower Bundles:MaxBytes")]
    private partial void LogSplit(int messages, int bytes, string? detail);
}
