using Microsoft.AspNetCore.Http;

namespace Quayside.Messaging.Http.Source;

/// <summary>Receives the requests of all HTTP routes, and finds the route and the form of the body. Threads: any.</summary>
internal sealed class MessagesEndpoint(HttpSourceRegistry registry, HttpAnswers answers)
{
    // Longer names are not repeated in answers: they are untrusted text.
    private const int LongestShownName = 64;

    private static readonly HttpRefusal NotPost = new(
        StatusCodes.Status405MethodNotAllowed, "method-not-allowed", "Send messages with POST.");

    /// <summary>Answers one request, whatever its method.</summary>
    /// <param name="context">The request.</param>
    /// <param name="route">The route that the path names; null for the default.</param>
    public Task HandleAsync(HttpContext context, string? route = null)
    {
        // ASP.NET's default is 200, which only a settlement may set: a code path that forgets its answer must fail.
        context.Response.StatusCode = StatusCodes.Status500InternalServerError;
        bool isKnown = registry.TryFind(route, out HttpMessageSource? source);
        if (!HttpMethods.IsPost(context.Request.Method))
        {
            if (isKnown && WebhookHandshakes.TryAllow(context, source!.Options))
            {
                return Task.CompletedTask;
            }

            context.Response.Headers.Allow = HttpMethods.Post;
            return answers.RefuseAsync(context, NotPost);
        }

        return isKnown ? HandleAsync(context, source!) : answers.RefuseAsync(context, UnknownRoute(route));
    }

    private async Task HandleAsync(HttpContext context, HttpMessageSource source)
    {
        HttpConnection.NoteRoute(context, source.Route);
        source.BeginRequest();
        try
        {
            await source.WaitForStartAsync();
            await Handle(context, source);
        }
        finally
        {
            source.EndRequest();
        }
    }

    private Task Handle(HttpContext context, HttpMessageSource source)
    {
        if (!ContentCoding.TryRead(context.Request.Headers.ContentEncoding, out string? coding))
        {
            context.Response.Headers.AcceptEncoding = ContentCoding.Accepted;
            return answers.RefuseAsync(context, ContentCoding.Unknown);
        }

        if (WebhookHandshakes.IsValidation(context.Request, source.Options))
        {
            return WebhookHandshakes.ValidateAsync(context, source, answers);
        }

        return HasLines(context.Request.ContentType)
            ? NdjsonRequest.HandleAsync(context, source, answers, coding)
            : SingleMessageRequest.HandleAsync(context, source, answers, coding);
    }

    private HttpRefusal UnknownRoute(string? route)
    {
        if (route is null && registry.Any)
        {
            return new HttpRefusal(
                StatusCodes.Status400BadRequest,
                "route-required",
                $"Several routes have the source Http: {registry.Names}. Choose one with POST /messages/{{route}}, name one of them 'default', or remove Http "
                    + $"from Routes:{{name}}:Source of the others.");
        }

        string problem = route switch
        {
            null => "No route has the source Http.",
            { Length: > LongestShownName } => "There is no such route with the source Http.",
            _ => $"There is no route '{route}' with the source Http.",
        };
        return new HttpRefusal(
            StatusCodes.Status404NotFound, "unknown-route",
            $"{problem} Routes with it: {registry.Names}. Send to one of them, or add Http to Routes:{{name}}:Source.");
    }

    /// <summary>True for a body with one message per line: NDJSON, JSON Lines.</summary>
    private static bool HasLines(string? contentType)
    {
        ReadOnlySpan<char> type = contentType;
        int parameters = type.IndexOf(';');
        type = (parameters < 0 ? type : type[..parameters]).Trim();
        return Is(type, "application/x-ndjson") || Is(type, "application/ndjson") || Is(type, "application/jsonl") || Is(type, "application/x-jsonlines");
    }

    private static bool Is(ReadOnlySpan<char> type, string name) => type.Equals(name, StringComparison.OrdinalIgnoreCase);
}
