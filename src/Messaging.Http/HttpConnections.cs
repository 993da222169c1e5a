using System.Diagnostics.Metrics;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Http;

/// <summary>
/// Limits the connections of the web server. At the limit a new connection replaces one without a request: first one that never had a request, then the one
/// idle longest, then the one whose body has been arriving longest. When all have requests, a small reserve above the limit can still read the health pages and
/// the metrics. A connection whose first request is late is closed. So are, during shutdown, one whose caller does not read its answer and, after the drain, an
/// idle one. Threads: any. 0 B per request.
/// </summary>
internal sealed class HttpConnections : IDisposable
{
    /// <summary>Connections above the limit, for the health pages.</summary>
    public const int Reserve = 16;

    public const string ClosedMetric = "worker.http.connections_closed";
    public const string FirstRequestTimeout = "first-request-timeout";
    public const string GaveWay = "gave-way";
    public const string Limit = "limit";
    public const string Stopping = "stopping";

    /// <summary>How long a connection is still read after its last answer during shutdown, so that the caller gets the answer and no reset.</summary>
    public static readonly TimeSpan Linger = TimeSpan.FromSeconds(2);

    /// <summary>
    /// How long a caller may take to read its answer during shutdown, from the beginning of the answer or of the shutdown. Otherwise a caller that does not
    /// read would delay the shutdown until its time limit. Its messages are settled by then, and it can send them again.
    /// </summary>
    public static readonly TimeSpan AnswerLimit = TimeSpan.FromSeconds(2);

    // How often connections are checked; they may exceed a time limit by this much.
    private static readonly TimeSpan WatchInterval = TimeSpan.FromMilliseconds(500);

    private static readonly TimeSpan LogInterval = TimeSpan.FromSeconds(10);

    // A new connection is not replaced before this time, unless the reserve is used up.
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(1);

    private static readonly Meter Meter = new(RouteMetrics.SourceName);
    private static readonly Counter<long> Closed = Meter.CreateCounter<long>(
        "worker.http.connections_closed", "{connection}",
        "HTTP connections that the worker closed, by reason: first-request-timeout, gave-way, limit, stopping");

    private readonly int _limit;
    private readonly TimeSpan _firstRequestTimeout;
    private readonly TimeProvider _time;
    private readonly ThrottlingLogger _logger;
    private readonly ITimer _watch;
    private readonly Lock _gate = new();

    // Under the gate, oldest first: connections that never had a request, connections between two requests, connections that wait for the rest of a body, and
    // connections whose answer has begun.
    private readonly LinkedList<HttpConnection> _fresh = [];
    private readonly LinkedList<HttpConnection> _idle = [];
    private readonly LinkedList<HttpConnection> _receiving = [];
    private readonly LinkedList<HttpConnection> _answering = [];
    private int _open;
    private long? _stoppedAt;
    private long? _drainedAt;

    public HttpConnections(WebOptions options, TimeProvider time, ILogger<HttpConnections> logger)
    {
        _limit = options.MaxConnections;
        _firstRequestTimeout = options.FirstRequestTimeout;
        _time = time;
        _logger = new ThrottlingLogger(logger, time, LogInterval);
        _watch = time.CreateTimer(static state => ((HttpConnections)state!).Watch(), this, WatchInterval, WatchInterval);
        Meter.CreateObservableGauge("worker.http.connections", () => Count, "{connection}", "Open HTTP connections");
    }

    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _open;
            }
        }
    }

    /// <summary>Kestrel's connection middleware: serves a connection until it ends, or closes it when there is no room.</summary>
    public async Task ServeAsync(ConnectionContext transport, ConnectionDelegate next)
    {
        if (TryOpen(transport) is not { } connection)
        {
            transport.Abort();
            return;
        }

        transport.Features.Set(connection);
        try
        {
            await next(transport);
        }
        finally
        {
            Remove(connection);
        }
    }

    /// <returns>Null when there is no room.</returns>
    public HttpConnection? TryOpen(ConnectionContext transport)
    {
        HttpConnection connection = new(this, transport, _time.GetTimestamp());
        HttpConnection? leaving = null;
        bool isFull;
        lock (_gate)
        {
            if (_open >= _limit)
            {
                leaving = _open >= _limit + Reserve ? Longest() : LongestPastGrace();
                Unlink(leaving);
            }

            isFull = _open >= _limit + Reserve;
            if (!isFull)
            {
                connection.IsReserve = _open >= _limit;
                _open++;
                _fresh.AddLast(connection.Node);
            }
        }

        End(leaving, GaveWay);
        if (isFull)
        {
            Report(Limit, transport);
        }

        return isFull ? null : connection;
    }

    /// <summary>Begins a request on the connection.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="isReserve">True when only the health pages may be read: all other connections have requests.</param>
    /// <returns>False when the connection is already closed.</returns>
    public bool TryBegin(HttpConnection connection, out bool isReserve)
    {
        List<HttpConnection>? leaving = null;
        lock (_gate)
        {
            isReserve = false;
            if (!connection.IsOpen)
            {
                return false;
            }

            connection.Node.List?.Remove(connection.Node);
            if (connection.IsReserve && _fresh.Count + _idle.Count >= _open - _limit)
            {
                // Enough other connections are idle: this one now counts within the limit.
                leaving = TakeOverLimit();
                connection.IsReserve = false;
            }

            isReserve = connection.IsReserve;
        }

        leaving?.ForEach(other => End(other, GaveWay));
        return true;
    }

    /// <summary>The body has not arrived yet: until <see cref="EndBody"/> the connection may give way, as no message of it is lost.</summary>
    public void BeginBody(HttpConnection connection)
    {
        lock (_gate)
        {
            if (connection is { IsOpen: true, Node.List: null })
            {
                connection.ReceivingSince = _time.GetTimestamp();
                _receiving.AddLast(connection.Node);
            }
        }
    }

    /// <summary>Ends the body of the request, which was read or refused.</summary>
    public void EndBody(HttpConnection connection)
    {
        lock (_gate)
        {
            if (connection.Node.List == _receiving)
            {
                _receiving.Remove(connection.Node);
            }
        }
    }

    /// <summary>Begins the answer to the request of the connection.</summary>
    public void BeginAnswer(HttpConnection connection)
    {
        EndBody(connection);
        lock (_gate)
        {
            if (connection is { IsOpen: true, Node.List: null })
            {
                connection.AnsweringSince = _time.GetTimestamp();
                _answering.AddLast(connection.Node);
            }
        }
    }

    /// <summary>Ends the request of the connection.</summary>
    public void EndRequest(HttpConnection connection)
    {
        lock (_gate)
        {
            if (connection.Node.List == _answering)
            {
                _answering.Remove(connection.Node);
            }

            if (connection is { IsOpen: true, Node.List: null })
            {
                connection.IdleSince = _time.GetTimestamp();
                _idle.AddLast(connection.Node);
            }
        }
    }

    /// <summary>Removes a connection that has ended.</summary>
    public void Remove(HttpConnection connection)
    {
        lock (_gate)
        {
            Unlink(connection);
        }
    }

    /// <summary>Begins to close connections whose answers are not read: the drain waits for its callers.</summary>
    public void BeginStop()
    {
        lock (_gate)
        {
            _stoppedAt = _time.GetTimestamp();
        }
    }

    /// <summary>
    /// Begins to close idle connections, after the drain. Kestrel closes a connection whose request it has read completely. It would read the others for 5 s,
    /// but its timer stops first, so a caller that keeps sending would delay the shutdown until its time limit.
    /// </summary>
    public void EndIdle()
    {
        lock (_gate)
        {
            _drainedAt = _time.GetTimestamp();
        }
    }

    public void Dispose() => _watch.Dispose();

    private HttpConnection? Longest() => (_fresh.First ?? _idle.First)?.Value ?? SlowestBody();

    private HttpConnection? LongestPastGrace() =>
        _fresh.First is { } first && _time.GetElapsedTime(first.Value.OpenedAt) > Grace ? first.Value : _idle.First?.Value ?? SlowestBody();

    private HttpConnection? SlowestBody() => _receiving.First is { } first && _time.GetElapsedTime(first.Value.ReceivingSince) > Grace ? first.Value : null;

    private List<HttpConnection> TakeOverLimit()
    {
        List<HttpConnection> leaving = [];
        while (_open > _limit && Longest() is { } longest)
        {
            leaving.Add(longest);
            Unlink(longest);
        }

        return leaving;
    }

    private void Unlink(HttpConnection? connection)
    {
        if (connection is { IsOpen: true })
        {
            connection.IsOpen = false;
            connection.Node.List?.Remove(connection.Node);
            _open--;
        }
    }

    private void Watch()
    {
        EndAll(_fresh, connection => _time.GetElapsedTime(connection.OpenedAt) > _firstRequestTimeout, FirstRequestTimeout);
        if (_stoppedAt is not { } stoppedAt)
        {
            return;
        }

        EndAll(_answering, connection => _time.GetElapsedTime(Math.Max(connection.AnsweringSince, stoppedAt)) >= AnswerLimit, Stopping);
        if (_drainedAt is { } drainedAt && _time.GetElapsedTime(drainedAt) >= Linger)
        {
            EndAll(_fresh, static _ => true, Stopping);
            EndAll(_idle, connection => _time.GetElapsedTime(connection.IdleSince) >= Linger, Stopping);
        }
    }

    private void EndAll(LinkedList<HttpConnection> waiting, Func<HttpConnection, bool> isOver, string reason)
    {
        List<HttpConnection> leaving = [];
        lock (_gate)
        {
            while (waiting.First is { } first && isOver(first.Value))
            {
                leaving.Add(first.Value);
                Unlink(first.Value);
            }
        }

        leaving.ForEach(connection => End(connection, reason));
    }

    private void End(HttpConnection? connection, string reason)
    {
        if (connection is not null)
        {
            Report(reason, connection.Transport);
            connection.Transport.Abort(new ConnectionAbortedException($"The worker closed the connection: {reason}."));
        }
    }

    private void Report(string reason, ConnectionContext transport)
    {
        Closed.Add(1, new KeyValuePair<string, object?>("worker.reason", reason));
        WebLog.ConnectionClosed(_logger, transport.RemoteEndPoint, reason);
    }
}
