using System.Net;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Http.Web.Api;

/// <summary>
/// The audit log: every request that may change something and has shown the token, with its sender, what it asked for, and its answer. Event 1218, in a
/// log category of its own, has all; the last 100 are in memory. Requests that were denied are counted apart from them, by sender, request and reason, so
/// that however many of them neither fill the memory nor push out a change; event 1220 has at most one in ten seconds. Threads: any.
/// </summary>
internal sealed class ChangeLog
{
    /// <summary>The category of the log, so that it can be filtered and sent on apart from the others.</summary>
    public const string Category = "Quayside.Messaging.Http.Audit";

    private const int MaxKept = 100;
    private const int MaxDenied = 50;

    private static readonly object Key = new();
    private static readonly object EndKey = new();

    private readonly TimeProvider _time;
    private readonly ILogger _log;
    private readonly ThrottlingLogger _deniedLog;
    private readonly Queue<ChangeState> _last = new();

    // By the time of their last request, the oldest first.
    private readonly List<DeniedState> _denied = [];

    public ChangeLog(TimeProvider time, ILoggerFactory loggers)
    {
        _time = time;
        _log = loggers.CreateLogger(Category);
        _deniedLog = new ThrottlingLogger(_log, time, TimeSpan.FromSeconds(10));
    }

    /// <summary>The last changes, the newest first.</summary>
    public IReadOnlyList<ChangeState> Last
    {
        get
        {
            lock (_last)
            {
                return [.. _last.Reverse()];
            }
        }
    }

    /// <summary>Requests that were denied, the newest first.</summary>
    public IReadOnlyList<DeniedState> Denied
    {
        get
        {
            lock (_denied)
            {
                return [.. Enumerable.Reverse(_denied)];
            }
        }
    }

    /// <summary>The sender of a request, as far as it is known: its address. All senders have the same token.</summary>
    public static string WhoOf(HttpContext context) => $"the API, from {AddressOf(context)}";

    /// <summary>Says what a request asks for, such as <c>pause route orders</c>.</summary>
    public static void Describe(HttpContext context, string what) => context.Items[Key] = what;

    /// <summary>Names what a request began, and what will have become of it: logged after the request itself, however short it is.</summary>
    public static void Follow(HttpContext context, Task<string> end) => context.Items[EndKey] = end;

    /// <summary>Records that a request of the API was denied. Nothing of what it sent is kept: its path is that of the endpoint.</summary>
    public void Deny(HttpContext context, HttpRefusal refusal)
    {
        if (context.GetEndpoint() is not RouteEndpoint { RoutePattern.RawText: { } path } || !path.StartsWith(ApiEndpoints.Root, StringComparison.Ordinal))
        {
            return;
        }

        (string address, string what) = (AddressOf(context), $"{context.Request.Method} {path}");
        DateTime now = _time.GetUtcNow().UtcDateTime;
        lock (_denied)
        {
            int known = _denied.FindIndex(one => one.From == address && one.What == what && one.Reason == refusal.Error);
            DeniedState denied = known < 0 ? new(now, now, address, what, refusal.Error, Count: 1) : _denied[known] with { Last = now, Count = _denied[known].Count + 1 };
            if (known >= 0 || _denied.Count == MaxDenied)
            {
                _denied.RemoveAt(Math.Max(known, 0));
            }

            _denied.Add(denied);
        }

        WebLog.Denied(_deniedLog, address, what, refusal.Status, refusal.Error);
    }

    /// <summary>Answers a request, then logs it.</summary>
    public async Task RunAsync(HttpContext context, RequestDelegate handle)
    {
        string result = "failed";
        try
        {
            await handle(context);
            int status = context.Response.StatusCode;
            result = status < StatusCodes.Status400BadRequest ? "done" : $"refused ({status})";
            if (status == StatusCodes.Status202Accepted)
            {
                result = "started";
            }
        }
        finally
        {
            string what = context.Items[Key] as string ?? $"{context.Request.Method} {context.Request.Path}";
            Add(context, what, result);
            if (context.Items[EndKey] is Task<string> end)
            {
                _ = AddEndAsync(AddressOf(context), what, end);
            }
        }
    }

    /// <summary>Logs what a request did, before its end.</summary>
    public void Add(HttpContext context, string what, string result) => Add(AddressOf(context), what, result);

    private async Task AddEndAsync(string address, string what, Task<string> end) => Add(address, what, await end);

    private void Add(string address, string what, string result)
    {
        what = UntrustedText.Shorten(what);
        ChangeState change = new(_time.GetUtcNow().UtcDateTime, address, what, result);
        lock (_last)
        {
            _last.Enqueue(change);
            if (_last.Count > MaxKept)
            {
                _last.Dequeue();
            }
        }

        WebLog.Changed(_log, address, what, result);
    }

    private static string AddressOf(HttpContext context) => context.Connection.RemoteIpAddress switch
    {
        null => "an unknown address",
        { IsIPv4MappedToIPv6: true } mapped => mapped.MapToIPv4().ToString(),
        IPAddress address => address.ToString(),
    };
}

/// <summary>The answer of <c>/api/v1/changes</c>.</summary>
internal sealed record ChangesState(IReadOnlyList<ChangeState> Changes, IReadOnlyList<DeniedState> Denied);

/// <summary>A change that was asked for over the API.</summary>
/// <param name="Time">When it was answered, UTC.</param>
/// <param name="From">The sender's address.</param>
/// <param name="What">What it asked for.</param>
/// <param name="Result"><c>done</c>, <c>started</c>, later <c>ended: …</c>, <c>refused (status)</c> or <c>failed</c>.</param>
internal sealed record ChangeState(DateTime Time, string From, string What, string Result);

/// <summary>Requests for a change that were denied: alike in sender, request and reason.</summary>
/// <param name="First">When the first came, UTC.</param>
/// <param name="Last">When the last came, UTC.</param>
/// <param name="From">The sender's address.</param>
/// <param name="What">The method and the path of the endpoint.</param>
/// <param name="Reason">The code of the answer, such as <c>token-wrong</c>.</param>
/// <param name="Count">How many.</param>
internal sealed record DeniedState(DateTime First, DateTime Last, string From, string What, string Reason, long Count);
