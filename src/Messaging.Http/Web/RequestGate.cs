using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Http.Web;

/// <summary>The first middleware: counts the request on its connection, and refuses forbidden requests. Threads: any. 0 B per request.</summary>
internal sealed class RequestGate(AllowedHosts hosts, HttpAnswers answers, HttpResponses responses, TimeProvider time, ILogger<RequestGate> logger)
{
    private static readonly HttpRefusal NoConnection = new(
        StatusCodes.Status503ServiceUnavailable,
        "too-many-connections",
        "All connections are in use (Hosting:MaxConnections); this one is reserved for the health pages and the metrics. "
            + "Send it again after Retry-After seconds.",
        RetryAfterSeconds: 1,
        Close: true);

    private readonly ThrottlingLogger _log = new(logger, time, TimeSpan.FromSeconds(10));

    public Task InvokeAsync(HttpContext context, RequestDelegate next)
    {
        bool isReserve = false;
        if (context.Features.Get<HttpConnection>() is { } connection)
        {
            if (!connection.Owner.TryBegin(connection, out isReserve))
            {
                // The connection was closed while its request arrived: the body was not read, and the caller sees the connection end.
                context.Abort();
                return Task.CompletedTask;
            }

            connection.Request = context;
            connection.Responses = responses;
            context.Response.OnStarting(
                static state =>
                {
                    HttpConnection answering = (HttpConnection)state;
                    answering.IsCallerGone = answering.Transport.ConnectionClosed.IsCancellationRequested;
                    answering.Owner.BeginAnswer(answering);
                    return Task.CompletedTask;
                },
                connection);
            context.Response.OnCompleted(
                static state =>
                {
                    HttpConnection idle = (HttpConnection)state;
                    idle.Count();
                    idle.Owner.EndRequest(idle);
                    return Task.CompletedTask;
                },
                connection);
        }

        bool isForReserve = HealthEndpoints.IsHealth(context.Request.Path) || context.Request.Path == "/metrics";
        HttpRefusal? refusal = hosts.Check(context.Request) ?? (isReserve && !isForReserve ? NoConnection : null);
        return refusal is null ? next(context) : RefuseAsync(context, refusal);
    }

    private Task RefuseAsync(HttpContext context, HttpRefusal refusal)
    {
        if (refusal.Status == StatusCodes.Status403Forbidden)
        {
            WebLog.Refused(_log, context.Connection.RemoteIpAddress, refusal.Error, refusal.Message);
        }

        return answers.RefuseAsync(context, refusal);
    }
}
