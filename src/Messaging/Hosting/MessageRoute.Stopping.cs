using Microsoft.Extensions.Logging;
using Quayside.Messaging.Handlers;

namespace Quayside.Messaging.Hosting;

/// <content>The stop: receiving ends, accepted messages are finished, and sources, parts and sink are closed and disposed.</content>
internal sealed partial class MessageRoute
{
    // Time for cancelled messages to unwind after the drain timeout; closing the source settles messages that hang longer.
    private static readonly TimeSpan AbortGrace = TimeSpan.FromSeconds(2);

    // Writing 1,000 messages of a channel to the dead letters took 2 s on a slow disk; messages not written in this time may be lost.
    private static readonly TimeSpan CloseLimit = TimeSpan.FromSeconds(8);

    // Time for a cancelled close to report the messages that it lost.
    private static readonly TimeSpan CloseGrace = TimeSpan.FromSeconds(2);

    /// <summary>Stops receiving without waiting; sink and handler send the messages that they gather.</summary>
    public void StopReceiving()
    {
        _isStarted = false;
        foreach (SourceRunner inlet in _inlets)
        {
            inlet.Intake.Stop();
        }

        // Each runs foreign code, whose exception must not keep the others from stopping.
        Stop(_stopReceiving.Cancel);
        foreach (Action stop in _stopping)
        {
            Stop(stop);
        }

        if (_sink is not null)
        {
            Stop(_sink.StopWaiting);
        }
    }

    /// <summary>Finishes the accepted messages, cancels those still in flight at the limit, and closes the sources, which settle or keep the rest.</summary>
    /// <param name="drainLimit">Cancelled at the end of the drain timeout.</param>
    /// <returns>True when everything ended within the limit.</returns>
    public async Task<bool> DrainAsync(CancellationToken drainLimit)
    {
        StopReceiving();
        bool drained = await DrainSourcesAsync(drainLimit) && await FinishAsync(drainLimit);
        if (!drained)
        {
            string[] receiving = [.. _inlets.Zip(_receiving).Where(static pair => !pair.Second.IsCompleted).Select(static pair => pair.First.Plan.Name)];
            string ignored = receiving.Length == 0 ? string.Empty : $" (the source {string.Join(", ", receiving)} ignores its cancellation and still receives)";
            LogDrainLimit(Name, ignored, InFlight);
            foreach (SourceRunner inlet in _inlets)
            {
                inlet.Intake.Abort();
            }

            using CancellationTokenSource abortGrace = new(AbortGrace, _time);
            await FinishAsync(abortGrace.Token);
        }

        // In parallel: one source must not use up the others' time, not even one that blocks its thread.
        using CancellationTokenSource limit = new(CloseLimit, _time);
        using CancellationTokenSource grace = new(CloseLimit + CloseGrace, _time);
        bool[] closed = await Task.WhenAll(_inlets.Select(inlet => CloseAsync(inlet, limit.Token, grace.Token)));
        foreach (SourceRunner inlet in _inlets)
        {
            inlet.Intake.Reports.ReportAtStop();
        }

        return drained && Array.TrueForAll(closed, isClosed => isClosed);
    }

    public async ValueTask DisposeAsync()
    {
        Metrics.Unpublish();
        foreach (SourceRunner inlet in _inlets)
        {
            await DisposeAsync(inlet.Source);
            await inlet.Intake.DisposeAsync();
        }

        foreach (object part in _owned.Reverse())
        {
            await DisposeAsync(part);
        }

        if (_sink is not null)
        {
            await DisposeAsync(_sink);
        }

        _stopReceiving.Dispose();
    }

    private void Stop(Action stop)
    {
        try
        {
            stop();
        }
        catch (Exception exception)
        {
            LogStopFailed(exception, Name);
        }
    }

    // Foreign code: neither its exception nor a disposal that hangs or blocks may prevent the others, or the end of the process.
    private async ValueTask DisposeAsync(object part)
    {
        try
        {
            await Task.Run(() => PartActivator.DisposeAsync(part).AsTask()).WaitAsync(CloseLimit, _time);
        }
        catch (Exception exception)
        {
            LogDisposeFailed(exception, Name, part.GetType().Name);
        }
    }

    private async Task<bool> DrainSourcesAsync(CancellationToken limit)
    {
        try
        {
            await Task.WhenAll(_receiving).WaitAsync(limit);

            // No source receives any more. Those that hold the only copy of a message still need slots to hand it in.
            EndPause();
            foreach (SourceRunner inlet in _inlets)
            {
                inlet.Intake.ReturnHeld();
            }

            await Task.WhenAll(_inlets.Select(inlet => DrainAsync(inlet, limit))).WaitAsync(limit);
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    private async Task DrainAsync(SourceRunner inlet, CancellationToken limit)
    {
        try
        {
            await Task.Run(() => inlet.Source.DrainAsync(inlet.Intake, limit), CancellationToken.None);
        }
        catch (Exception exception) when (exception is not OperationCanceledException || !limit.IsCancellationRequested)
        {
            // The messages in flight still get their time, and the source is closed after them.
            LogDrainFailed(exception, Name, inlet.Plan.Name);
        }
    }

    private async Task<bool> FinishAsync(CancellationToken limit)
    {
        try
        {
            foreach (SourceRunner inlet in _inlets)
            {
                await inlet.Intake.DrainAsync(limit);
            }

            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    private async Task<bool> CloseAsync(SourceRunner inlet, CancellationToken limit, CancellationToken grace)
    {
        try
        {
            await Task.Run(() => inlet.Source.CloseAsync(limit), CancellationToken.None).WaitAsync(grace);
            return !limit.IsCancellationRequested;
        }
        catch (Exception exception)
        {
            LogCloseFailed(exception, Name, inlet.Plan.Name);
            return false;
        }
    }

    [LoggerMessage(
        1002, LogLevel.Warning,
        "Route {Route}: the drain ended{Receiving}, and {InFlight} message(s) that are being handled are cancelled. Queues redeliver theirs, callers send "
            + "theirs again, and messages that exist only in this process are written to the dead letters")]
    private partial void LogDrainLimit(string route, string receiving, int inFlight);

    [LoggerMessage(
        1004, LogLevel.Warning, "Route {Route}: closing {Source} failed; its queue redelivers the unsettled messages, or their senders send them again")]
    private partial void LogCloseFailed(Exception exception, string route, string source);

    [LoggerMessage(1011, LogLevel.Warning, "Route {Route}: draining {Source} failed; what it still holds is settled when it is closed")]
    private partial void LogDrainFailed(Exception exception, string route, string source);

    [LoggerMessage(1012, LogLevel.Warning, "Route {Route}: a part failed at the stop, which goes on")]
    private partial void LogStopFailed(Exception exception, string route);

    [LoggerMessage(1009, LogLevel.Warning, "Route {Route}: disposing {Part} failed")]
    private partial void LogDisposeFailed(Exception exception, string route, string part);
}
