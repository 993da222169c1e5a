using System.Net;

namespace Benchmarks.Aws.Put;

/// <summary>The lowest cost of a PUT over SocketsHttpHandler: no signature, no headers, no pooling of our own.</summary>
internal sealed class UnsignedHttpClient(Uri server, PutObjects objects) : IPutClient
{
    private readonly HttpMessageInvoker _http =
        new(new SocketsHttpHandler { UseCookies = false, UseProxy = false, AllowAutoRedirect = false, ActivityHeadersPropagator = null });
    private readonly Uri[] _addresses = [.. objects.KeyTexts.Select(key => new Uri(server, $"/{PutObjects.Bucket}/{key}"))];

    public async ValueTask PutAsync(int key)
    {
        using HttpRequestMessage request = new(HttpMethod.Put, _addresses[key]) { Content = new ByteArrayContent(objects.Body) };
        using HttpResponseMessage response = await _http.SendAsync(request, CancellationToken.None);
        PutFailure.ThrowUnless(response.StatusCode == HttpStatusCode.OK, response.StatusCode.ToString());
    }

    public void Dispose() => _http.Dispose();
}
