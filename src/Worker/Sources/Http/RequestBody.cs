using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Worker.Sources.Http;

/// <summary>
/// Reads one request's body within its time. Ends with the worker's stop and with the connection. Kestrel's own minimum rate
/// (240 B/s after 5 s) applies beside it.
/// </summary>
internal sealed class RequestBody : IDisposable
{
    private readonly HttpContext _context;
    private readonly HttpMessageSource _source;

    // Made on the first wait: a body that came along with the headers needs none.
    private CancellationTokenSource? _patience;
    private CancellationTokenRegistration _onStop;
    private CancellationTokenRegistration _onAbort;

    public RequestBody(HttpContext context, HttpMessageSource source)
    {
        _context = context;
        _source = source;
        Reader = context.Request.BodyReader;

        // Our own limits apply, with answers that say what to do; Kestrel's would end the connection.
        if (context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } limit)
        {
            limit.MaxRequestBodySize = null;
        }
    }

    public PipeReader Reader { get; }

    /// <summary>Reads on. The time runs over all reads together, or from this one on when <paramref name="restart"/> is set.</summary>
    public ValueTask<ReadResult> ReadAsync(bool restart) => Reader.TryRead(out ReadResult result) ? new(result) : WaitAsync(restart);

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

    /// <summary>What to answer after reading threw; null when there is nobody to answer.</summary>
    public HttpRefusal? Explain(Exception exception, HttpRefusal timeout) => exception switch
    {
        BadHttpRequestException { StatusCode: StatusCodes.Status408RequestTimeout } => HttpRefusal.TooSlow,
        BadHttpRequestException bad => new HttpRefusal(bad.StatusCode, "bad-request", $"{bad.Message} Nothing of an unfinished message was taken.", Close: true),
        _ when _context.RequestAborted.IsCancellationRequested => null,
        _ when _source.Stopping.IsCancellationRequested => HttpRefusal.Stopping,
        OperationCanceledException when _patience is { IsCancellationRequested: true } => timeout,
        _ => null,
    };

    public void Dispose()
    {
        _onStop.Dispose();
        _onAbort.Dispose();
        _patience?.Dispose();
    }

    private async ValueTask<ReadResult> WaitAsync(bool restart)
    {
        bool first = _patience is null;
        CancellationTokenSource patience = Patience();
        if (first || restart)
        {
            patience.CancelAfter(_source.Options.BodyTimeout);
        }

        ReadResult result = await Reader.ReadAsync(patience.Token);
        if (restart)
        {
            patience.CancelAfter(Timeout.InfiniteTimeSpan);
        }

        return result;
    }

    private CancellationTokenSource Patience()
    {
        if (_patience is null)
        {
            _patience = new CancellationTokenSource(Timeout.InfiniteTimeSpan, _source.Time);
            _onStop = _source.Stopping.UnsafeRegister(static state => ((CancellationTokenSource)state!).Cancel(), _patience);
            _onAbort = _context.RequestAborted.UnsafeRegister(static state => ((CancellationTokenSource)state!).Cancel(), _patience);
        }

        return _patience;
    }
}
