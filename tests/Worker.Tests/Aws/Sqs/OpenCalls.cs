using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using Microsoft.AspNetCore.Http;

namespace Worker.Tests.Aws.Sqs;

/// <summary>
/// The calls that a client has begun and not ended. HTTP takes real time: a test that moves the clock meanwhile makes the source late,
/// the more so the busier the machine. Threads: any.
/// </summary>
internal sealed class OpenCalls
{
    private const string Header = "X-Test-Call";

    private readonly ConcurrentDictionary<long, Call> _calls = new();
    private long _lastId;

    /// <summary>True while a call is on its way to the queue or back. Long polls and calls that a test holds back do not count while they wait.</summary>
    public bool AreInProgress => _calls.Values.Any(call => call.WaitsFor is null or { IsCompleted: true });

    /// <summary>A handler that records the calls which it passes to <paramref name="inner"/>.</summary>
    public HttpMessageHandler Watch(HttpMessageHandler inner) => new Handler(this, inner);

    /// <summary>Called by the queue: until the task has completed, the call counts as waiting.</summary>
    public void Wait(HttpContext context, Task waitsFor)
    {
        if (long.TryParse(context.Request.Headers[Header], CultureInfo.InvariantCulture, out long id) && _calls.TryGetValue(id, out Call? call))
        {
            call.WaitsFor = waitsFor;
        }
    }

    private sealed class Call
    {
        private volatile Task? _waitsFor;

        public Task? WaitsFor
        {
            get => _waitsFor;
            set => _waitsFor = value;
        }
    }

    private sealed class Handler(OpenCalls open, HttpMessageHandler inner) : DelegatingHandler(inner)
    {
        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            long id = Interlocked.Increment(ref open._lastId);
            request.Headers.TryAddWithoutValidation(Header, id.ToString(CultureInfo.InvariantCulture));
            open._calls[id] = new Call();
            try
            {
                HttpResponseMessage response = await base.SendAsync(request, cancellationToken);
                response.Content = new WatchedContent(response.Content, () => open._calls.TryRemove(id, out _));
                return response;
            }
            catch
            {
                open._calls.TryRemove(id, out _);
                throw;
            }
        }
    }

    /// <summary>An answer that ends its call when the client disposes it: the client has then read it.</summary>
    private sealed class WatchedContent : HttpContent
    {
        private readonly HttpContent _inner;
        private readonly Action _disposed;

        public WatchedContent(HttpContent inner, Action disposed)
        {
            _inner = inner;
            _disposed = disposed;
            foreach ((string name, IEnumerable<string> values) in inner.Headers)
            {
                Headers.TryAddWithoutValidation(name, values);
            }
        }

        protected override Task<Stream> CreateContentReadStreamAsync() => _inner.ReadAsStreamAsync();

        protected override Task<Stream> CreateContentReadStreamAsync(CancellationToken cancellationToken) => _inner.ReadAsStreamAsync(cancellationToken);

        protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) => _inner.CopyToAsync(stream, context);

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }

        protected override void Dispose(bool disposing)
        {
            if (disposing)
            {
                _inner.Dispose();
                _disposed();
            }

            base.Dispose(disposing);
        }
    }
}
