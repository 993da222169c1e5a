using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Quayside.Messaging.Http;

namespace Quayside.Messaging.Console.Api;

/// <summary>Maps the paths below <c>/api/v1</c>, with their access checks and common headers.</summary>
internal sealed class ApiEndpoints(
    ApiAccess access, StatsEndpoints stats, DeadLetterEndpoints deadLetters, RedriveEndpoints redrives, RouteEndpoints routes, ChangeLog log,
    HttpAnswers answers)
{
    /// <summary>The beginning of their paths.</summary>
    public const string Root = "/api/v1";

    public void Map(IEndpointRouteBuilder endpoints)
    {
        endpoints.MapGet($"{Root}/stats", Guarded(stats.StatsAsync));
        endpoints.MapGet($"{Root}/history", Guarded(stats.HistoryAsync));
        endpoints.MapGet($"{Root}/events", Guarded(stats.EventsAsync));
        endpoints.MapGet($"{Root}/config", Guarded(stats.ConfigAsync));
        endpoints.MapGet($"{Root}/dead-letters", Guarded(deadLetters.ListAsync));
        endpoints.MapGet($"{Root}/dead-letters/letter", Guarded(deadLetters.LetterAsync));
        endpoints.MapGet($"{Root}/dead-letters/body", Guarded(deadLetters.BodyAsync));
        endpoints.MapPost($"{Root}/dead-letters/move", Guarded(redrives.MoveAsync, changes: true));
        endpoints.MapPost($"{Root}/dead-letters/discard", Guarded(redrives.DiscardAsync, changes: true));
        endpoints.MapPost($"{Root}/routes/pause", Guarded(routes.PauseAsync, changes: true));
        endpoints.MapPost($"{Root}/routes/resume", Guarded(routes.ResumeAsync, changes: true));
        endpoints.MapGet($"{Root}/redrive", Guarded(redrives.StateAsync));
        endpoints.MapPost($"{Root}/redrive", Guarded(redrives.StartAsync, changes: true));
        endpoints.MapDelete($"{Root}/redrive", Guarded(redrives.StopAsync, changes: true));
    }

    /// <param name="handle">Answers the request.</param>
    /// <param name="changes">True when it changes something: it needs the token, and is logged, also when it is denied.</param>
    private RequestDelegate Guarded(RequestDelegate handle, bool changes = false) => context =>
    {
        context.Response.Headers.CacheControl = "no-store";
        context.Response.Headers.XContentTypeOptions = "nosniff";
        if (access.Check(context.Request, changes) is { } refusal)
        {
            if (changes)
            {
                log.Deny(context, refusal);
            }

            return answers.RefuseAsync(context, refusal);
        }

        return changes ? log.RunAsync(context, handle) : handle(context);
    };
}
