using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Http;
using Tests.Shared;

namespace Messaging.Tests.Http.Web;

[Collection(AllocationCollection.Name)]
public sealed class GateAllocationTests
{
    [Fact]
    public void Request_CheckedAndCounted_AllocatesNothing()
    {
        WebOptions options = new();
        AllowedHosts hosts = new(options);
        using HttpConnections connections = new(options, TimeProvider.System, NullLogger<HttpConnections>.Instance);
        HttpConnection connection = connections.TryOpen(new DefaultConnectionContext("c")).ShouldNotBeNull();
        HttpRequest request = new DefaultHttpContext().Request;
        request.Headers.Host = "localhost:8080";

        MinBytes.OfThread(Run).ShouldBe(0);

        void Run()
        {
            for (int i = 0; i < 1_000; i++)
            {
                if (!connections.TryBegin(connection, out _) || hosts.Check(request) is not null)
                {
                    throw new InvalidOperationException("The request is allowed.");
                }

                connections.EndRequest(connection);
            }
        }
    }
}
