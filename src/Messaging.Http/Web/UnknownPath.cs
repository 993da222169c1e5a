using Messaging.Http.Source;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Messaging.Http.Web;

/// <summary>Answers requests for paths that the worker does not have: 404, with the paths there are.</summary>
internal static class UnknownPath
{
    private static readonly HttpRefusal Refusal = new(
        StatusCodes.Status404NotFound,
        "unknown-path",
        "The worker has no such path. Send messages with POST /messages or POST /messages/{route}; GET / is the page that shows the worker, /metrics its metrics, /healthz/ready and /healthz/live its state.");

    /// <summary>Adds the answer behind routing: it takes what no endpoint was found for.</summary>
    public static void UseUnknownPath(this IApplicationBuilder app, HttpAnswers answers) =>
        app.Use(next => context => context.GetEndpoint() is null ? answers.RefuseAsync(context, Refusal) : next(context));
}
