using Microsoft.AspNetCore.Routing;

namespace Quayside.Messaging.Http.Web;

/// <summary>Endpoints that a part adds to the worker's web server. A service of the worker; called once, at the start.</summary>
internal interface IWebEndpoints
{
    /// <summary>What they offer, for the log and the answer to an unknown path, such as <c>the page at /</c>.</summary>
    string Offer { get; }

    void Map(IEndpointRouteBuilder endpoints);
}
