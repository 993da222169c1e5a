using Microsoft.AspNetCore.Http;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;

namespace Quayside.Messaging.Console.Api;

/// <summary>Pauses and resumes routes. Threads: any.</summary>
internal sealed class RouteEndpoints(IRouteControl routes, IWorkerStatus worker, HttpAnswers answers)
{
    private const int MaxRequestBytes = 4 << 10;
    private const int MaxNoteChars = 500;

    private static readonly HttpRefusal Malformed = new(
        StatusCodes.Status400BadRequest,
        "malformed-request",
        "Send JSON such as {\"route\":\"orders\",\"note\":\"the store is moved\"}, with Content-Type: application/json. A note has at most 500 characters.");

    /// <summary>The answer for a route that the worker does not have.</summary>
    public static readonly HttpRefusal UnknownRoute = new(
        StatusCodes.Status404NotFound, "unknown-route", "The worker has no route of this name; GET /api/v1/stats lists its routes.");

    /// <summary><c>POST /api/v1/routes/pause</c>.</summary>
    public async Task PauseAsync(HttpContext context)
    {
        if (await ReadAsync(context) is not { } order)
        {
            return;
        }

        string? note = string.IsNullOrWhiteSpace(order.Note) ? null : order.Note.Trim();
        ChangeLog.Describe(context, $"pause route {order.Route}{(note is null ? string.Empty : $": {note}")}");
        await RunAsync(context, order, () => routes.Pause(order.Route!, ChangeLog.WhoOf(context), note));
    }

    /// <summary><c>POST /api/v1/routes/resume</c>.</summary>
    public async Task ResumeAsync(HttpContext context)
    {
        if (await ReadAsync(context) is not { } order)
        {
            return;
        }

        ChangeLog.Describe(context, $"resume route {order.Route}");
        await RunAsync(context, order, () =>
        {
            routes.Resume(order.Route!, ChangeLog.WhoOf(context));
            return null;
        });
    }

    /// <returns>Null when the request was refused.</returns>
    private async Task<RouteOrder?> ReadAsync(HttpContext context)
    {
        if (await ApiJson.TryReadAsync(context, ApiJson.Default.RouteOrder, MaxRequestBytes) is
            {
                Route.Length: > 0,
                Note: null or { Length: <= MaxNoteChars }
            } order)
        {
            return order;
        }

        await answers.RefuseAsync(context, Malformed);
        return null;
    }

    private async Task RunAsync(HttpContext context, RouteOrder order, Func<RoutePause?> change)
    {
        RoutePause? pause;
        try
        {
            pause = change();
        }
        catch (Exception exception) when (RefusalOf(exception, order.Route!) is { } refusal)
        {
            await answers.RefuseAsync(context, refusal);
            return;
        }

        await ApiJson.SendAsync(context, new PauseAnswer(pause), ApiJson.Stats.PauseAnswer);
    }

    private HttpRefusal Unknown(string route)
    {
        string[] names = [.. worker.GetRoutes().Select(static known => known.Name)];
        string hint = NearestName.Find(route, names) is { } nearest ? $" Did you mean {nearest}?" : string.Empty;
        return UnknownRoute with { Message = $"The worker has no route of this name.{hint} Its routes: {string.Join(", ", names)}." };
    }

    /// <returns>Null for an exception that <see cref="IRouteControl"/> does not promise.</returns>
    private HttpRefusal? RefusalOf(Exception exception, string route) => exception switch
    {
        ArgumentException => Unknown(route),
        InvalidOperationException => HttpRefusal.Stopping,
        _ => null,
    };
}

/// <summary>The answer to a pause or its end.</summary>
/// <param name="Pause">The pause; null when the route is not paused.</param>
internal sealed record PauseAnswer(RoutePause? Pause);

/// <summary>The body of <c>POST /api/v1/routes/pause</c> and <c>/resume</c>.</summary>
/// <param name="Route">The route's name; required.</param>
/// <param name="Note">Why, for the log and the page; null without a note.</param>
internal sealed record RouteOrder(string? Route, string? Note = null);
