using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Quayside.Messaging.Sources;

namespace Quayside.Messaging.Http.Source;

/// <summary>
/// Reads the body of a request within its timeout and at its minimum rate. Only time spent waiting for the caller counts. Reading ends at shutdown and when
/// the connection closes. Threads: one at a time.
/// </summary>
internal sealed class RequestBody : IDisposable
{
    /// <summary>The minimum rate applies to each window of this length, so that a burst does not make up for a long pause.</summary>
    public static readonly TimeSpan RateWindow = TimeSpan.FromSeconds(5);

    private readonly HttpContext _context;
    private readonly HttpConnection? _connection;
    private readonly HttpMessageSource _source;
    private readonly long _requiredPerWindow;

    // Created on the first wait: a body that arrived with the headers needs none.
    private CancellationTokenSource? _timeout;
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
        _connection = context.Features.Get<HttpConnection>();
        Reader = context.Request.BodyReader;

        // The limits of the source apply, with answers for the caller; Kestrel's would close the connection.
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

    /// <summary>Reads the next bytes. Release the result with <c>AdvanceTo</c>; after an exception no read is open.</summary>
    /// <param name="restart">True when <c>BodyTimeout</c> bounds each wait; false when it bounds all waits in total.</param>
    /// <exception cref="OperationCanceledException">The body was too slow, the worker stops, or the connection closed; see <see cref="Explain"/>.</exception>
    public ValueTask<ReadResult> ReadAsync(bool restart) =>
        Reader.TryRead(out ReadResult result) ? new(Take(result)) : WaitAsync(restart);

    /// <summary>Waits for a slot for up to <c>SlotTimeout</c>.</summary>
    public async ValueTask<SlotLease> ReserveAsync()
    {
        CancellationTokenSource timeout = GetTimeout();
        ValueTask<SlotLease> reserving = _source.ReserveAsync(timeout.Token);
        if (reserving.IsCompletedSuccessfully)
        {
            return reserving.Result;
        }

        timeout.CancelAfter(_source.Options.SlotTimeout);
        SlotLease slot = await reserving;
        timeout.CancelAfter(Timeout.InfiniteTimeSpan);
        return slot;
    }

    /// <summary>The answer for an exception of a read; null when the connection is closed, or must be closed by <see cref="Abort"/>.</summary>
    public HttpRefusal? Explain(Exception exception, HttpRefusal timeout) => exception switch
    {
        BadHttpRequestException { StatusCode: StatusCodes.Status408RequestTimeout } => HttpRefusal.TooSlow,
        BadHttpRequestException bad => Broken(bad.StatusCode, bad.Message),
        _ when _context.RequestAborted.IsCancellationRequested => null,
        ConnectionResetException or ConnectionAbortedException => null,

        // Kestrel throws this instead of BadHttpRequestException for a chunk size above 31 bits.
        IOException broken => Broken(StatusCodes.Status400BadRequest, broken.Message),
        _ when _source.Stopping.IsCancellationRequested => HttpRefusal.Stopping,
        OperationCanceledException when _timeout is { IsCancellationRequested: true } => timeout,
        _ => null,
    };

    /// <summary>Closes the connection without an answer: a body without a known end must not get a status.</summary>
    public void Abort() => _context.Abort();

    public void Dispose()
    {
        if (_timeout is not null)
        {
            _connection?.Owner.EndBody(_connection);
        }

        _onStop.Dispose();
        _onAbort.Dispose();

        // Waits for a running cancellation, which must not reach the next request: the reader belongs to the connection.
        _onEnd.Dispose();
        _timeout?.Dispose();
    }

    private async ValueTask<ReadResult> WaitAsync(bool restart)
    {
        CancellationTokenSource timeout = GetTimeout();
        long started = _source.Time.GetTimestamp();
        timeout.CancelAfter(Limit(restart));

        // No token: Kestrel treats a read that a token cancelled as still running, and logs an error with a stack trace.
        ReadResult result = await Reader.ReadAsync(CancellationToken.None);
        TimeSpan waited = _source.Time.GetElapsedTime(started);
        timeout.CancelAfter(Timeout.InfiniteTimeSpan);

        _waited += waited;
        _waitedInWindow += waited;
        if (_waitedInWindow >= RateWindow)
        {
            // The window had its bytes, or the read would have been cancelled. This read counts for the next window.
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
            throw new OperationCanceledException(_timeout?.Token ?? CancellationToken.None);
        }

        _arrivedInWindow += result.Buffer.Length;
        return result;
    }

    private TimeSpan Limit(bool restart)
    {
        TimeSpan timeout = restart ? _source.Options.BodyTimeout : _source.Options.BodyTimeout - _waited;
        if (_requiredPerWindow > 0)
        {
            // A window that has its bytes cannot fail any more. The next one fails if nothing arrives before its end.
            TimeSpan window = RateWindow - _waitedInWindow + (_arrivedInWindow >= _requiredPerWindow ? RateWindow : TimeSpan.Zero);
            timeout = window < timeout ? window : timeout;
        }

        return timeout > TimeSpan.Zero ? timeout : TimeSpan.Zero;
    }

    private CancellationTokenSource GetTimeout()
    {
        if (_timeout is null)
        {
            _timeout = new CancellationTokenSource(Timeout.InfiniteTimeSpan, _source.Time);
            _connection?.Owner.BeginBody(_connection);
            _onEnd = _timeout.Token.UnsafeRegister(static state => EndRead((PipeReader)state!), Reader);
            _onStop = _source.Stopping.UnsafeRegister(static state => ((CancellationTokenSource)state!).Cancel(), _timeout);
            _onAbort = _context.RequestAborted.UnsafeRegister(static state => ((CancellationTokenSource)state!).Cancel(), _timeout);
        }

        return _timeout;
    }

    // An exception would reach the canceller: the shutdown of the worker, or Kestrel as it closes the connection.
    private static void EndRead(PipeReader reader)
    {
        try
        {
            reader.CancelPendingRead();
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException or ObjectDisposedException)
        {
            // The connection is closed, and the read has ended.
        }
    }

    private static HttpRefusal Broken(int status, string message) =>
        new(status, "bad-request", $"{message} An incomplete message was not accepted.", Close: true);
}

/// <summary>A limit on the bytes held at any time. Threads: any.</summary>
internal sealed class ByteBudget(long limit)
{
    private long _taken;

    public long Taken => Volatile.Read(ref _taken);

    /// <summary>Reserves the bytes if they fit. A negative number returns bytes, which always succeeds.</summary>
    public bool TryTake(long bytes)
    {
        // Another caller's attempt counts until it is taken back, so the sum may be above the limit for a moment.
        if (Interlocked.Add(ref _taken, bytes) <= limit || bytes <= 0)
        {
            return true;
        }

        Interlocked.Add(ref _taken, -bytes);
        return false;
    }

    public void Return(long bytes) => Interlocked.Add(ref _taken, -bytes);
}
