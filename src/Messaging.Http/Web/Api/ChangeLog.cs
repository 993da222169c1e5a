using System.Net;
using Messaging.Telemetry;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Messaging.Http.Web.Api;

/// <summary>
/// The audit log: every request that may change something and has shown the token, with its sender, what it asked for, and its answer. Event 1218, in a
/// log category of its own, has all; the last 100 are in memory for the page. Threads: any.
/// </summary>
internal sealed class ChangeLog(TimeProvider time, ILoggerFactory loggers)
{
    /// <summary>The category of the log, so that it can be filtered and sent on apart from the others.</summary>
    public const string Category = "Messaging.Http.Audit";

    private const int MaxKept = 100;

    private static readonly object Key = new();

    private readonly ILogger _log = loggers.CreateLogger(Category);
    private readonly Queue<ChangeState> _last = new();

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

    /// <summary>The sender of a request, as far as it is known: its address. All senders have the same token.</summary>
    public static string WhoOf(HttpContext context) => $"the API, from {AddressOf(context)}";

    /// <summary>Says what a request asks for, such as <c>pause route orders</c>.</summary>
    public static void Describe(HttpContext context, string what) => context.Items[Key] = what;

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
            Add(AddressOf(context), UntrustedText.Shorten(context.Items[Key] as string ?? $"{context.Request.Method} {context.Request.Path}"), result);
        }
    }

    private void Add(string address, string what, string result)
    {
        ChangeState change = new(time.GetUtcNow().UtcDateTime, address, what, result);
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
internal sealed record ChangesState(IReadOnlyList<ChangeState> Changes);

/// <summary>A change that was asked for over the API.</summary>
/// <param name="Time">When it was answered, UTC.</param>
/// <param name="From">The sender's address.</param>
/// <param name="What">What it asked for.</param>
/// <param name="Result"><c>done</c>, <c>started</c>, <c>refused (status)</c> or <c>failed</c>.</param>
internal sealed record ChangeState(DateTime Time, string From, string What, string Result);
