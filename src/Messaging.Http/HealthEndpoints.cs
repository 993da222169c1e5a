using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Http;

/// <summary>
/// <c>/healthz/live</c>: 503 when a message is stuck, which only a restart ends. <c>/healthz/ready</c>: 503 when a route does not receive or its sink fails,
/// which no restart fixes, and during the drain. The JSON has an entry per route. The rules are in docs/reference/operating.md.
/// </summary>
internal static class HealthEndpoints
{
    private static readonly PathString Pages = "/healthz";

    // Answers are never HTML: quotes stay readable.
    private static readonly JsonWriterOptions Json = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public static bool IsHealth(PathString path) => path.StartsWithSegments(Pages);

    public static void MapHealth(this IEndpointRouteBuilder endpoints, IWorkerStatus worker)
    {
        endpoints.MapGet("/healthz/live", context => WriteAsync(context, worker, static route => !route.IsStuck));
        endpoints.MapGet("/healthz/ready", context => WriteAsync(context, worker, worker.IsStopping ? static _ => false : static route => route.IsReady));
    }

    // An operator's pause is no failure: the pages stay at 200, so that the worker can still be reached and resumed, and show it.
    private static async Task WriteAsync(HttpContext context, IWorkerStatus worker, Func<RouteStatus, bool> isHealthy)
    {
        IReadOnlyList<RouteStatus> routes = worker.GetRoutes();
        bool healthy = routes.Count > 0 && routes.All(isHealthy);
        context.Response.StatusCode = healthy ? StatusCodes.Status200OK : StatusCodes.Status503ServiceUnavailable;
        context.Response.ContentType = "application/json";
        using Utf8JsonWriter writer = new(context.Response.BodyWriter, Json);
        writer.WriteStartObject();
        writer.WriteString(
            "status"u8,
            worker.IsStopping ? "draining"u8 : !healthy ? "unhealthy"u8 : routes.Any(static route => route.Pause is not null) ? "paused"u8 : "healthy"u8);
        writer.WriteNumber("process"u8, Environment.ProcessId);
        writer.WriteBoolean("stopping"u8, worker.IsStopping);
        writer.WriteStartArray("routes"u8);
        foreach (RouteStatus route in routes)
        {
            WriteRoute(writer, route);
        }

        writer.WriteEndArray();
        writer.WriteEndObject();
        await writer.FlushAsync(context.RequestAborted);
    }

    private static void WriteRoute(Utf8JsonWriter writer, RouteStatus route)
    {
        RouteTotals totals = route.Totals;
        writer.WriteStartObject();
        writer.WriteString("route"u8, route.Name);
        writer.WriteBoolean("receiving"u8, route.IsReceiving);
        if (route.Pause is { } pause)
        {
            writer.WriteString("pausedSince"u8, pause.Since.UtcDateTime);
        }

        writer.WriteString("breaker"u8, route.Breaker.ToString());
        if (route.LastFailure is { } failure)
        {
            writer.WriteString("lastFailure"u8, PathFreeText.Of(failure));
        }

        if (route.Problem is { } problem)
        {
            writer.WriteString("problem"u8, PathFreeText.Of(problem));
        }

        if (route.Dropped is { } dropped)
        {
            writer.WriteString("dropped"u8, $"{dropped}. {dropped.Advice}");
        }

        writer.WriteBoolean("stuck"u8, route.IsStuck);
        writer.WriteNumber("inFlight"u8, route.InFlight);
        writer.WriteNumber("oldestAgeSeconds"u8, Math.Round(route.OldestAge.TotalSeconds, 3));
        writer.WriteNumber("received"u8, totals.Received);
        writer.WriteNumber(route.HasSink ? "stored"u8 : "completed"u8, totals.Stored);
        if (route.HasSink)
        {
            writer.WriteNumber("duplicates"u8, totals.Duplicates);
        }

        writer.WriteNumber("returned"u8, totals.Returned);
        writer.WriteNumber("deadLetters"u8, totals.DeadLetters);
        writer.WriteEndObject();
    }
}
