using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace Messaging.Http.Source;

/// <summary>
/// Reads one request's body within its time and at its minimum rate. Ends with the worker's stop and with the connection. Only time
/// in which the worker waits for the caller counts. Threads: one at a time.
/// </summary>
internal sealed class RequestBody : IDisposable
{
    /// <summary>The minimum rate is checked over windows of this length, so that a burst does not pay for a long silence.</summary>
    public static readonly TimeSpan RateWindow = TimeSpan.FromSeconds(5);

    private readonly HttpContext _context;
    private readonly HttpMessageSource _source;
    private readonly long _requiredPerWindow;

    // Made on the first wait: a body that came along with the headers needs none.
    private CancellationTokenSource? _patience;
    private CancellationTokenRegistration _onStop;
    private CancellationTokenRegistration _onAbort;
    private CancellationTokenRegistration _onEnd;

    private TimeSpan _waited;
    private TimeSpan _waitedInWindow;
    private long _arrivedInWindow;

    public RequestBody(HttpContext context, HttpMessageSource source)
    {
        _context = context;
        _source = source;
        _requiredPerWindow = source.Options.MinBodyRate * (long)RateWindow.TotalSeconds;
        Reader = context.Request.BodyReader;

        // Our own limits apply, with answers that say what to do; Kestrel's would end the connection.
        if (context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } limit)
        {
            limit.MaxRequestBodySize = null;
        }

        if (context.Features.Get<IHttpMinRequestBodyDataRateFeature>() is { } rate)
        {
            rate.MinDataRate = null;
        }
    }

    public PipeReader Reader { get; }

    /// <summary>Reads on. What it returns must be given back with <c>AdvanceTo</c>; what it throws leaves no read open.</summary>
    /// <param name="restart">True when <c>BodyTimeout</c> bounds each wait; false when it bounds all of them together.</param>
    /// <exception cref="OperationCanceledException">The time or the rate ran out, the worker stops, or the connection is gone; <see cref="Explain"/> tells.</exception>
    public ValueTask<ReadResult> ReadAsync(bool restart) =>
        Reader.TryRead(out ReadResult result) ? new(Take(result)) : WaitAsync(restart);

    /// <summary>Waits for a slot within the source's time for it.</summary>
    public async ValueTask<int> ReserveAsync()
    {
        CancellationTokenSource patience = Patience();
        ValueTask<int> reserving = _source.ReserveAsync(patience.Token);
        if (reserving.IsCompletedSuccessfully)
        {
            return reserving.Result;
        }

        patience.CancelAfter(_source.Options.SlotTimeout);
        int slots = await reserving;
        patience.CancelAfter(Timeout.InfiniteTimeSpan);
        return slots;
    }

    /// <summary>The answer after reading threw; null when the connection is gone or must go: then <see cref="Abort"/> ends it.</summary>
    public HttpRefusal? Explain(Exception exception, HttpRefusal timeout) => exception switch
    {
        BadHttpRequestException { StatusCode: StatusCodes.Status408RequestTimeout } => HttpRefusal.TooSlow,
        BadHttpRequestException bad => Broken(bad.StatusCode, bad.Message),
        _ when _context.RequestAborted.IsCancellationRequested => null,
        ConnectionResetException or ConnectionAbortedException => null,

        // Kestrel throws this, and no BadHttpRequestException, for a chunk size above 31 bits.
        IOException broken => Broken(StatusCodes.Status400BadRequest, broken.Message),
        _ when _source.Stopping.IsCancellationRequested => HttpRefusal.Stopping,
        OperationCanceledException when _patience is { IsCancellationRequested: true } => timeout,
        _ => null,
    };

    /// <summary>Ends the connection without an answer: no status may go out for a body whose end is not known.</summary>
    public void Abort() => _context.Abort();

    public void Dispose()
    {
        _onStop.Dispose();
        _onAbort.Dispose();

        // Waits for a cancellation under way: the reader is the connection's, and its next request must not feel it.
        _onEnd.Dispose();
        _patience?.Dispose();
    }

    private async ValueTask<ReadResult> WaitAsync(bool restart)
    {
        CancellationTokenSource patience = Patience();
        long started = _source.Time.GetTimestamp();
        patience.CancelAfter(Limit(restart));

        // Without a token: Kestrel takes a read that a token cancelled for one still under way, and logs an error with a stack trace.
        ReadResult result = await Reader.ReadAsync(CancellationToken.None);
        TimeSpan waited = _source.Time.GetElapsedTime(started);
        patience.CancelAfter(Timeout.InfiniteTimeSpan);

        _waited += waited;
        _waitedInWindow += waited;
        if (_waitedInWindow >= RateWindow)
        {
            // The window was satisfied, or the read would have been cancelled. This read belongs to the next one.
            _waitedInWindow -= RateWindow;
            _arrivedInWindow = 0;
        }

        return Take(result);
    }

    private ReadResult Take(in ReadResult result)
    {
        if (result is { IsCanceled: true, IsCompleted: false })
        {
            Reader.AdvanceTo(result.Buffer.Start);
            throw new OperationCanceledException(_patience?.Token ?? CancellationToken.None);
        }

        _arrivedInWindow += result.Buffer.Length;
        return result;
    }

    private TimeSpan Limit(bool restart)
    {
        TimeSpan timeout = restart ? _source.Options.BodyTimeout : _source.Options.BodyTimeout - _waited;
        if (_requiredPerWindow > 0)
        {
            // A window that has its bytes cannot fail any more: the next one can, if nothing comes until its end.
            TimeSpan window = RateWindow - _waitedInWindow + (_arrivedInWindow >= _requiredPerWindow ? RateWindow : TimeSpan.Zero);
            timeout = window < timeout ? window : timeout;
        }

        return timeout > TimeSpan.Zero ? timeout : TimeSpan.Zero;
    }

    private CancellationTokenSource Patience()
    {
        if (_patience is null)
        {
            _patience = new CancellationTokenSource(Timeout.InfiniteTimeSpan, _source.Time);
            _onEnd = _patience.Token.UnsafeRegister(static state => EndRead((PipeReader)state!), Reader);
            _onStop = _source.Stopping.UnsafeRegister(static state => ((CancellationTokenSource)state!).Cancel(), _patience);
            _onAbort = _context.RequestAborted.UnsafeRegister(static state => ((CancellationTokenSource)state!).Cancel(), _patience);
        }

        return _patience;
    }

    // What it threw would reach the canceller: the worker's stop, or Kestrel while it ends the connection.
    private static void EndRead(PipeReader reader)
    {
        try
        {
            reader.CancelPendingRead();
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException or ObjectDisposedException)
        {
            // The connection is gone, and the read with it.
        }
    }

    private static HttpRefusal Broken(int status, string message) =>
        new(status, "bad-request", $"{message} Nothing of an unfinished message was taken.", Close: true);
}
