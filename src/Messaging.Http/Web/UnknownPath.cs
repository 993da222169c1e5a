using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Quayside.Messaging.Http.Web;

/// <summary>Answers requests for unknown paths: 404, with the known paths.</summary>
internal static class UnknownPath
{
    /// <summary>Adds the answer after routing, for requests without an endpoint.</summary>
    /// <param name="app">The application.</param>
    /// <param name="answers">Answers requests.</param>
    /// <param name="known">The known paths, apart from that of the messages.</param>
    public static void UseUnknownPath(this IApplicationBuilder app, HttpAnswers answers, string known)
    {
        HttpRefusal refusal = new(
            StatusCodes.Status404NotFound,
            "unknown-path",
            $"The worker has no such path. Send messages with POST /messages or POST /messages/{{route}}; it also has {known}.");
        app.Use(next => context => context.GetEndpoint() is null ? answers.RefuseAsync(context, refusal) : next(context));
    }
}
