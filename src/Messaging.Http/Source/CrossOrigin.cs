using Microsoft.AspNetCore.Cors.Infrastructure;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace Quayside.Messaging.Http.Source;

/// <summary>
/// Lets pages of other origins send messages to a route (CORS), where the settings name these origins. Never with credentials. Threads: any.
/// 0 B for a request without an Origin, and where no origin is named.
/// </summary>
internal sealed class CrossOrigin
{
    /// <summary>The entry that allows every origin.</summary>
    public const string Any = "*";

    // Its log would have a line for every message.
    private static readonly CorsService Service = new(Options.Create(new CorsOptions()), NullLoggerFactory.Instance);

    private readonly CorsPolicy? _policy;

    public CrossOrigin(HttpSourceOptions options)
    {
        if (options.CorsOrigins.Length == 0)
        {
            return;
        }

        _policy = new CorsPolicy { PreflightMaxAge = options.CorsMaxAge, SupportsCredentials = false };
        foreach (string origin in options.CorsOrigins.Contains(Any) ? [Any] : options.CorsOrigins)
        {
            _policy.Origins.Add(origin);
        }

        _policy.Methods.Add(HttpMethods.Post);
        foreach (string header in (string[])["Content-Type", "Content-Encoding", MessageIds.Header, "traceparent", "tracestate", .. options.CorsHeaders])
        {
            _policy.Headers.Add(header);
        }

        _policy.ExposedHeaders.Add("Retry-After");
    }

    /// <summary>True for a request of a page that may send messages.</summary>
    public bool Allows(HttpRequest request) => _policy is not null && (_policy.AllowAnyOrigin || _policy.IsOriginAllowed(request.Headers.Origin.ToString()));

    /// <summary>Adds to the answer that the page may read it, if it may.</summary>
    /// <returns>True for a preflight, which is answered with that.</returns>
    public bool Answer(HttpContext context)
    {
        if (context.Request.Headers.Origin.Count == 0 || !Allows(context.Request))
        {
            return false;
        }

        CorsResult result = Service.EvaluatePolicy(context, _policy!);
        Service.ApplyResult(result, context.Response);
        if (!result.IsPreflightRequest)
        {
            return false;
        }

        HttpConnection.Note(context, HttpResponses.Handshake);
        context.Response.StatusCode = StatusCodes.Status204NoContent;
        return true;
    }
}
