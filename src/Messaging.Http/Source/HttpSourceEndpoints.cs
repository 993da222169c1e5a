using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;

namespace Messaging.Http.Source;

internal static class HttpSourceEndpoints
{
    /// <summary>
    /// Maps <c>POST /messages</c> (the only HTTP route, or the one named <c>default</c>) and <c>POST /messages/{route}</c>. All methods are mapped, so that
    /// those other than POST are answered with 405 and JSON.
    /// </summary>
    public static IEndpointRouteBuilder MapMessages(this IEndpointRouteBuilder endpoints, MessagesEndpoint endpoint)
    {
        endpoints.Map("/messages", context => endpoint.HandleAsync(context));
        endpoints.Map("/messages/{route}", context => endpoint.HandleAsync(context, context.Request.RouteValues["route"] as string));
        return endpoints;
    }
}
