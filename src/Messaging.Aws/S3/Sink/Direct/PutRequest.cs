using System.Net;

namespace Messaging.Aws.S3.Sink.Direct;

/// <summary>
/// Everything one PUT needs and the next one can use again: the message with its constant headers, the body, the timer. Used
/// again only after an answer was read to its end. HttpClient refuses a message that was sent before, handlers do not and will
/// not (https://github.com/dotnet/corefx/issues/3725). Threads: one request at a time.
/// </summary>
internal sealed class PutRequest : IDisposable
{
    private readonly PutContent _content = new();
    private readonly TimeProvider _time;
    private string? _date;
    private string? _token;
    private CancellationTokenSource? _timer;
    private CancellationTokenRegistration _caller;

    public PutRequest(TimeProvider time)
    {
        _time = time;
        Message = new HttpRequestMessage(HttpMethod.Put, default(Uri))
        {
            Content = _content,
            Version = HttpVersion.Version11,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
    }

    public HttpRequestMessage Message { get; }

    /// <summary>Ends with the request's time or by the caller.</summary>
    public CancellationToken Token => _timer!.Token;

    /// <summary>Begins a request: from here on its time runs.</summary>
    public void Open(ReadOnlyMemory<byte> body, TimeSpan limit, CancellationToken caller)
    {
        _content.Open(body);
        if (_timer is null)
        {
            _timer = new CancellationTokenSource(limit, _time);
        }
        else
        {
            _timer.CancelAfter(limit);
        }

        _caller = caller.UnsafeRegister(static timer => ((CancellationTokenSource)timer!).Cancel(), _timer);
    }

    /// <summary>Gives the request the headers that stay the same for many: the date for a second, the session token for hours.</summary>
    public void SetStamp(string date, string? token)
    {
        Set(PutCanonicalRequest.Date, date, ref _date);
        Set(PutCanonicalRequest.Token, token, ref _token);
    }

    /// <summary>Ends a request: nothing of it, the caller's token least of all, stays behind.</summary>
    public void Close()
    {
        // Waits for a cancellation that is on its way: it must not hit the next request.
        _caller.Dispose();
        _caller = default;
        _content.Close();
        if (!_timer!.TryReset())
        {
            _timer.Dispose();
            _timer = null;
        }
    }

    public void Dispose()
    {
        _timer?.Dispose();
        _timer = null;
        Message.Dispose();
    }

    private void Set(string name, string? value, ref string? present)
    {
        if (ReferenceEquals(value, present))
        {
            return;
        }

        Message.Headers.Remove(name);
        if (value is not null)
        {
            Message.Headers.TryAddWithoutValidation(name, value);
        }

        present = value;
    }
}
