using System.Net;
using System.Text;

namespace Messaging.Tests.Elasticsearch;

/// <summary>An in-process server that gives each request the next answer.</summary>
internal sealed class AnsweringHandler(IEnumerable<string> answers) : HttpMessageHandler
{
    private readonly Queue<string> _answers = new(answers);

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        await request.Content!.CopyToAsync(Stream.Null, cancellationToken);
        return new HttpResponseMessage(HttpStatusCode.OK) { Content = new ByteArrayContent(Encoding.UTF8.GetBytes(_answers.Dequeue())) };
    }
}
