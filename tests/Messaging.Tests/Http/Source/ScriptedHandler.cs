using System.Net;
using System.Text;

namespace Messaging.Tests.Http.Source;

/// <summary>A one-line HTTP server: gets each request's id and number, from 1, and answers or throws.</summary>
internal sealed class ScriptedHandler(Func<string, int, HttpResponseMessage> answer) : HttpMessageHandler
{
    private int _requests;

    public int Requests => Volatile.Read(ref _requests);

    public static HttpResponseMessage Stored(string id) => Answer(HttpStatusCode.OK, $$"""{"id":"{{id}}","status":"stored"}""");

    public static HttpResponseMessage Answer(HttpStatusCode status, string body) =>
        new(status) { Content = new StringContent(body, Encoding.UTF8, "application/json") };

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        await Task.Yield();
        string id = request.Headers.TryGetValues("X-Message-Id", out IEnumerable<string>? ids) ? ids.Single() : string.Empty;
        return answer(id, Interlocked.Increment(ref _requests));
    }
}
