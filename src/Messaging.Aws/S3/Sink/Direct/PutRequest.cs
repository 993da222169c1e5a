using System.Net;

namespace Quayside.Messaging.Aws.S3.Sink.Direct;

/// <summary>
/// A reusable PUT: the constant headers, the key and body of one object, the timer. Reused only after an answer was read to its
/// end. HttpClient refuses a message that was sent before; handlers do not and will not (https://github.com/dotnet/corefx/issues/3725).
/// Threads: one request at a time.
/// </summary>
internal sealed class PutRequest : HttpRequestMessage
{
    private readonly BorrowedContent _content = new();
    private readonly TimeProvider _time;
    private string? _date;
    private string? _token;
    private CancellationTokenSource? _timer;
    private CancellationTokenRegistration _caller;

    public PutRequest(TimeProvider time)
        : base(HttpMethod.Put, default(Uri))
    {
        _time = time;
        Content = _content;
        Version = HttpVersion.Version11;
        VersionPolicy = HttpVersionPolicy.RequestVersionExact;
    }

    /// <summary>True for a PUT with headers of its own, which is used for one object.</summary>
    public bool IsOwn { get; init; }

    /// <summary>The object's key, borrowed until the request is closed.</summary>
    public ReadOnlyMemory<byte> Key { get; private set; }

    /// <summary>Cancelled when the request's time ends, or by the caller.</summary>
    public CancellationToken Token => _timer!.Token;

    /// <summary>Starts a request and its time limit.</summary>
    public void Open(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, TimeSpan limit, CancellationToken caller)
    {
        Key = key;
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
        Key = default;
        _content.Bytes = default;
        if (!_timer!.TryReset())
        {
            _timer.Dispose();
            _timer = null;
        }
    }

    protected override void Dispose(bool disposing)
    {
        _timer?.Dispose();
        _timer = null;
        base.Dispose(disposing);
    }

    private void Set(string name, string? value, ref string? present)
    {
        if (ReferenceEquals(value, present))
        {
            return;
        }

        Headers.Remove(name);
        if (value is not null)
        {
            Headers.TryAddWithoutValidation(name, value);
        }

        present = value;
    }
}
