using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
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
        RequestDelegate handle = endpoint.HandleAsync;
        endpoints.Map("/messages", handle);
        endpoints.Map($"/messages/{{{MessagesEndpoint.RouteKey}}}", handle);
        return endpoints;
    }
}
