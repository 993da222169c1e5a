using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Globalization;
using System.Net;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Http;

/// <summary>
/// Counts the answers to the callers of <c>/messages</c>, and every refusal of the server, by route, status and reason. Refusals are logged with their
/// counts: the first after a second, further ones every ten. Also counts what Kestrel answers by itself, before a request exists. Threads: any. 0 B per answer.
/// </summary>
internal sealed class HttpResponses : IObserver<KeyValuePair<string, object?>>, IDisposable
{
    /// <summary>The event with which Kestrel reports a request that it answers itself.</summary>
    public const string BadRequestEvent = "Microsoft.AspNetCore.Server.Kestrel.BadRequest";

    public const string Stored = "stored";
    public const string DeadLettered = "dead-lettered";
    public const string NotStored = "not-stored";

    /// <summary>The reason of an answer to the validation of a webhook.</summary>
    public const string Handshake = "handshake";

    /// <summary>The reason of a request that got no answer, because its caller had closed the connection or the worker did.</summary>
    public const string NoAnswer = "no-answer";

    private static readonly TimeSpan FirstLog = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LogInterval = TimeSpan.FromSeconds(10);

    private readonly ConcurrentDictionary<HttpAnswer, StrongBox<long>> _counts = new();
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly ITimer _logging;
    private readonly Lock _gate = new();

    // Under the gate.
    private Dictionary<HttpAnswer, long> _logged = [];
    private long? _loggedAt;
    private long _firstSinceLog;
    private volatile bool _isArmed;

    public HttpResponses(TimeProvider time, ILogger<HttpResponses> logger)
    {
        _time = time;
        _logger = logger;
        _logging = time.CreateTimer(static state => ((HttpResponses)state!).Log(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        Meter.CreateObservableCounter(
            "worker.http.responses", Measure, "{response}",
            "Answers to callers of /messages and refusals of any HTTP request, by status and reason; requests without an answer have no status");
    }

    private Meter Meter { get; } = new(RouteMetrics.SourceName);

    /// <summary>The counts since the start, in a stable order.</summary>
    public IReadOnlyList<AnswerCount> Counts =>
        [.. _counts
            .Select(static pair => new AnswerCount(pair.Key, Volatile.Read(ref pair.Value.Value)))
            .OrderBy(static one => one.Answer.Route, StringComparer.Ordinal)
            .ThenBy(static one => one.Answer.Status)
            .ThenBy(static one => one.Answer.Reason, StringComparer.Ordinal)];

    /// <summary>Counts one answer.</summary>
    public void Add(HttpAnswer answer)
    {
        Interlocked.Increment(ref _counts.GetOrAdd(answer, static _ => new StrongBox<long>()).Value);
        if (answer.IsRefusal && !_isArmed)
        {
            Arm();
        }
    }

    /// <summary>Counts the answer to a request that ends, by what its endpoint noted on the connection.</summary>
    public void Add(HttpConnection connection, HttpContext context)
    {
        int status = context.Response.StatusCode;
        string? reason = connection.Reason
            ?? (connection.Route is not null
                ? DefaultReasonOf(status)
                : status >= StatusCodes.Status400BadRequest && !HealthEndpoints.IsHealth(context.Request.Path)
                ? DefaultReasonOf(status)
                : null);
        // A page that is closed while it loads is no failure.
        bool isPageLeft = connection is { IsCallerGone: true, Route: null, Reason: null } && HttpMethods.IsGet(context.Request.Method);
        if (reason is not null && !isPageLeft)
        {
            Add(context.Response.HasStarted && !connection.IsCallerGone
                ? new HttpAnswer(connection.Route, status, reason)
                : new HttpAnswer(connection.Route, 0, NoAnswer));
        }
    }

    void IObserver<KeyValuePair<string, object?>>.OnNext(KeyValuePair<string, object?> value)
    {
        // Reported again for a request that was counted: its remaining body is broken.
        if (value.Value is IFeatureCollection features
            && features.Get<IBadRequestExceptionFeature>()?.Error is BadHttpRequestException bad
            && features.Get<IHttpResponseFeature>() is not { HasStarted: true }
            && features.Get<HttpConnection>() is not { Request: not null })
        {
            HttpConnection? connection = features.Get<HttpConnection>();
            bool isCallerGone = connection?.Transport.ConnectionClosed.IsCancellationRequested == true;
            if (isCallerGone && connection!.Responses is not null)
            {
                // Once a caller has left after its answer, Kestrel takes what it had not read of the body for another request.
                return;
            }

            Add(isCallerGone ? new HttpAnswer(null, 0, NoAnswer) : new HttpAnswer(null, bad.StatusCode, ReasonOf(bad.StatusCode)));
        }
    }

    void IObserver<KeyValuePair<string, object?>>.OnCompleted()
    {
        // The server was disposed.
    }

    void IObserver<KeyValuePair<string, object?>>.OnError(Exception error)
    {
        // A DiagnosticListener reports none.
    }

    public void Dispose()
    {
        _logging.Dispose();
        Meter.Dispose();
        Log();
    }

    private static string DefaultReasonOf(int status) => status >= StatusCodes.Status500InternalServerError ? "defect" : ReasonOf(status);

    private static string ReasonOf(int status) => status switch
    {
        StatusCodes.Status405MethodNotAllowed => "method-not-allowed",
        StatusCodes.Status408RequestTimeout => "headers-too-slow",
        StatusCodes.Status413PayloadTooLarge => "too-large",
        StatusCodes.Status414UriTooLong => "uri-too-long",
        StatusCodes.Status431RequestHeaderFieldsTooLarge => "headers-too-large",
        (int)HttpStatusCode.HttpVersionNotSupported => "http-version",
        _ => "malformed-request",
    };

    private IEnumerable<Measurement<long>> Measure() => Counts.Select(static pair => new Measurement<long>(
        pair.Count,
        new KeyValuePair<string, object?>[]
        {
            new("worker.reason", pair.Answer.Reason),
            new("http.response.status_code", pair.Answer.Status > 0 ? pair.Answer.Status : null),
            new("worker.route", pair.Answer.Route),
        }.Where(static tag => tag.Value is not null)));

    private void Arm()
    {
        lock (_gate)
        {
            if (_isArmed)
            {
                return;
            }

            _isArmed = true;
            _firstSinceLog = _time.GetTimestamp();
            TimeSpan wait = _loggedAt is { } last ? LogInterval - _time.GetElapsedTime(last) : TimeSpan.Zero;
            _logging.Change(wait > FirstLog ? wait : FirstLog, Timeout.InfiniteTimeSpan);
        }
    }

    private void Log()
    {
        AnswerCount[] added;
        TimeSpan period;
        lock (_gate)
        {
            // First: what is counted from here on arms the timer again.
            _isArmed = false;
            AnswerCount[] now = [.. Counts.Where(static one => one.Answer.IsRefusal)];
            added = [
                .. now
                    .Select(one => one with { Count = one.Count - _logged.GetValueOrDefault(one.Answer) })
                    .Where(static one => one.Count > 0)
                    .OrderByDescending(static one => one.Count)];
            period = _time.GetElapsedTime(_firstSinceLog);
            _logged = now.ToDictionary(static one => one.Answer, static one => one.Count);
            _loggedAt = _time.GetTimestamp();
        }

        if (added.Length == 0)
        {
            return;
        }

        try
        {
            WebLog.RequestsRefused(
                _logger, added.Sum(pair => pair.Count), DurationText.Of(period),
                string.Join(", ", added.Select(pair => string.Create(CultureInfo.InvariantCulture, $"{pair.Answer} {pair.Count:N0}"))));
        }
        catch (Exception)
        {
            // A log that throws on a timer's thread would end the process. Page and metrics have the counts.
        }
    }
}

/// <summary>How many requests got an answer since the start.</summary>
internal sealed record AnswerCount(HttpAnswer Answer, long Count);

/// <summary>How a request was answered; few and bounded values.</summary>
/// <param name="Route">The route of <c>/messages</c>; null where the request reached none.</param>
/// <param name="Status">The HTTP status; 0 when the caller got no answer.</param>
/// <param name="Reason">The error of the answer, or what became of the message.</param>
internal readonly record struct HttpAnswer(string? Route, int Status, string Reason)
{
    /// <summary>False when the route accepted the message: its settlement is counted as the route's.</summary>
    public bool IsRefusal => Reason is not (HttpResponses.Stored or HttpResponses.DeadLettered or HttpResponses.NotStored or HttpResponses.Handshake);

    /// <inheritdoc/>
    public override string ToString() => $"{(Status > 0 ? $"{Status} " : string.Empty)}{Reason}{(Route is null ? string.Empty : $" (route {Route})")}";
}
