using Microsoft.AspNetCore.Routing;
using Quayside.Messaging.Console.Api;
using Quayside.Messaging.Http.Web;

namespace Quayside.Messaging.Console.Page;

/// <summary>The page and its API.</summary>
internal sealed class ConsoleEndpoints(PageFiles page, ApiEndpoints api) : IWebEndpoints
{
    public string Offer => "the page at /";

    public void Map(IEndpointRouteBuilder endpoints)
    {
        page.Map(endpoints);
        api.Map(endpoints);
    }
}
