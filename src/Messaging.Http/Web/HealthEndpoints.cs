using System.Text.Encodings.Web;
using System.Text.Json;
using Messaging.Hosting;
using Messaging.Routes;
using Messaging.Telemetry;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace Messaging.Http.Web;

/// <summary>
/// <c>/healthz/live</c>: 200 unless a message is stuck for good (a restart helps). <c>/healthz/ready</c>: 200 while every route
/// receives and its sink works (a restart does not help). Both show a line of JSON a route. A route whose sink failed and that only
/// a caller's message can probe is ready again when it may be probed: a load balancer that waited for more would wait for ever.
/// </summary>
internal static class HealthEndpoints
{
    private static readonly PathString Pages = "/healthz";

    // Read by people and programs, never as HTML: quotes stay readable.
    private static readonly JsonWriterOptions Json = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public static bool IsHealth(PathString path) => path.StartsWithSegments(Pages);

    public static void MapHealth(this IEndpointRouteBuilder endpoints, WorkerService worker)
    {
        endpoints.MapGet("/healthz/live", context => WriteAsync(context, worker, static (_, route) => !route.IsStuck));
        endpoints.MapGet("/healthz/ready", context => WriteAsync(
            context,
            worker,
            static (worker, route) => !worker.IsStopping && route.IsReceiving && !route.IsStuck && route.Problem is null));
    }

    private static async Task WriteAsync(HttpContext context, WorkerService worker, Func<WorkerService, MessageRoute, bool> isHealthy)
    {
        bool healthy = worker.Routes.Count > 0 && worker.Routes.All(route => isHealthy(worker, route));
        context.Response.StatusCode = healthy ? StatusCodes.Status200OK : StatusCodes.Status503ServiceUnavailable;
        context.Response.ContentType = "application/json";
        using Utf8JsonWriter writer = new(context.Response.BodyWriter, Json);
        writer.WriteStartObject();
        writer.WriteString("status"u8, healthy ? "healthy"u8 : "unhealthy"u8);
        writer.WriteNumber("process"u8, Environment.ProcessId);
        writer.WriteBoolean("stopping"u8, worker.IsStopping);
        writer.WriteStartArray("routes"u8);
        foreach (MessageRoute route in worker.Routes)
        {
            WriteRoute(writer, route);
        }

        writer.WriteEndArray();
        writer.WriteEndObject();
        await writer.FlushAsync(context.RequestAborted);
    }

    private static void WriteRoute(Utf8JsonWriter writer, MessageRoute route)
    {
        RouteTotals totals = route.Metrics.Totals;
        writer.WriteStartObject();
        writer.WriteString("route"u8, route.Name);
        writer.WriteBoolean("receiving"u8, route.IsReceiving);
        writer.WriteString("breaker"u8, route.Breaker.State.ToString());
        if (route.Breaker.LastFailure is { } failure)
        {
            writer.WriteString("lastFailure"u8, PathFreeText.Of(failure));
        }

        if (route.Problem is { } problem)
        {
            writer.WriteString("problem"u8, PathFreeText.Of(problem));
        }

        writer.WriteBoolean("stuck"u8, route.IsStuck);
        writer.WriteNumber("inFlight"u8, route.InFlight);
        writer.WriteNumber("oldestAgeSeconds"u8, Math.Round(route.OldestAge.TotalSeconds, 3));
        writer.WriteNumber("received"u8, totals.Received);
        writer.WriteNumber(route.Metrics.DoneWord, totals.Stored);
        if (route.Sink is not null)
        {
            writer.WriteNumber("duplicates"u8, totals.Duplicates);
        }

        writer.WriteNumber("returned"u8, totals.Returned);
        writer.WriteNumber("deadLetters"u8, totals.DeadLetters);
        writer.WriteEndObject();
    }
}
