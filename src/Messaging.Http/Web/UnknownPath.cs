using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Quayside.Messaging.Http.Web;

/// <summary>Answers requests for unknown paths: 404, with the known paths.</summary>
internal static class UnknownPath
{
    private static readonly HttpRefusal Refusal = new(
        StatusCodes.Status404NotFound,
        "unknown-path",
        "The worker has no such path. Send messages with POST /messages or POST /messages/{route}; GET / shows the worker, /metrics its metrics, "
            + "/healthz/ready and /healthz/live its health.");

    /// <summary>Adds the answer after routing, for requests without an endpoint.</summary>
    public static void UseUnknownPath(this IApplicationBuilder app, HttpAnswers answers) =>
        app.Use(next => context => context.GetEndpoint() is null ? answers.RefuseAsync(context, Refusal) : next(context));
}
