using System.Net;

namespace Messaging.Aws.S3.Sink.Direct;

/// <summary>
/// The reusable parts of a PUT: the message with its constant headers, the body, the timer. Reused only after an answer was read to its
/// end. HttpClient refuses a message that was sent before; handlers do not and will not (https://github.com/dotnet/corefx/issues/3725).
/// Threads: one request at a time.
/// </summary>
internal sealed class PutRequest : IDisposable
{
    private readonly BorrowedContent _content = new();
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

    /// <summary>Cancelled when the request's time ends, or by the caller.</summary>
    public CancellationToken Token => _timer!.Token;

    /// <summary>Starts a request and its time limit.</summary>
    public void Open(ReadOnlyMemory<byte> body, TimeSpan limit, CancellationToken caller)
    {
        _content.Bytes = body;

        // HttpContent would compute the length once and keep it. Each new value allocates about 90 bytes.
        if (_content.Headers.ContentLength != body.Length)
        {
            _content.Headers.ContentLength = body.Length;
        }

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

    /// <summary>Sets the headers that many requests share: the date for a second, the session token for hours.</summary>
    public void SetStamp(string date, string? token)
    {
        Set(PutSigner.Date, date, ref _date);
        Set(PutSigner.Token, token, ref _token);
    }

    /// <summary>Ends a request and drops its state, including the caller's token.</summary>
    public void Close()
    {
        // Waits for a running cancellation, which must not hit the next request.
        _caller.Dispose();
        _caller = default;
        _content.Bytes = default;
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
