using System.Net;
using System.Text;

namespace Messaging.Tests.Elasticsearch;

/// <summary>An in-process server that accepts every bulk request: discards the body and reports a given number of documents as created.</summary>
internal sealed class CountingHandler(int documents) : HttpMessageHandler
{
    private readonly byte[] _answer = Encoding.UTF8.GetBytes(
        $"{{\"errors\":false,\"took\":1,\"items\":["
            + $"{string.Join(',', Enumerable.Repeat("{\"create\":{\"_id\":\"0f8fad5bd9cb469fa165\",\"status\":201}}", documents))}]}}");

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        await request.Content!.CopyToAsync(Stream.Null, cancellationToken);
        return new HttpResponseMessage(HttpStatusCode.OK) { Content = new StreamContent(new MemoryStream(_answer)) };
    }
}
