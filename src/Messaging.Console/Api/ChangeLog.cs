using System.Net;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Http;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Console.Api;

/// <summary>
/// The audit log: every request that may change something and has shown the token, with its sender, what it asked for, and its answer (event 1218), in a
/// log category of its own. Of those that were denied event 1220 has at most one in ten seconds. Threads: any.
/// </summary>
internal sealed class ChangeLog
{
    /// <summary>The category of the log, so that it can be filtered and sent on apart from the others.</summary>
    public const string Category = "Quayside.Messaging.Console.Audit";

    private static readonly object Key = new();
    private static readonly object EndKey = new();

    private readonly ILogger _log;
    private readonly ThrottlingLogger _deniedLog;

    public ChangeLog(TimeProvider time, ILoggerFactory loggers)
    {
        _log = loggers.CreateLogger(Category);
        _deniedLog = new ThrottlingLogger(_log, time, TimeSpan.FromSeconds(10));
    }

    /// <summary>The sender of a request, as far as it is known: its address. All senders have the same token.</summary>
    public static string WhoOf(HttpContext context) => $"the API, from {AddressOf(context)}";

    /// <summary>Says what a request asks for, such as <c>pause route orders</c>.</summary>
    public static void Describe(HttpContext context, string what) => context.Items[Key] = what;

    /// <summary>Names what a request began, and what will have become of it: logged after the request itself, however short it is.</summary>
    public static void Follow(HttpContext context, Task<string> end) => context.Items[EndKey] = end;

    /// <summary>Logs that a request of the API was denied. Nothing of what it sent is logged: its path is that of the endpoint.</summary>
    public void Deny(HttpContext context, HttpRefusal refusal)
    {
        string? path = (context.GetEndpoint() as RouteEndpoint)?.RoutePattern.RawText;
        ConsoleLog.Denied(_deniedLog, AddressOf(context), $"{context.Request.Method} {path}", refusal.Status, refusal.Error);
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

    private void Add(string address, string what, string result) => ConsoleLog.Changed(_log, address, UntrustedText.Shorten(what), result);

    private static string AddressOf(HttpContext context) => context.Connection.RemoteIpAddress switch
    {
        null => "an unknown address",
        { IsIPv4MappedToIPv6: true } mapped => mapped.MapToIPv4().ToString(),
        IPAddress address => address.ToString(),
    };
}
