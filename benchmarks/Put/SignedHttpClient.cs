using System.Net.Http.Headers;
using Benchmarks.Wire;

namespace Benchmarks.Put;

/// <summary>HttpClient and <see cref="SimpleSigner"/>: what a competent person writes instead of taking the SDK.</summary>
internal sealed class SignedHttpClient(Uri server, PutObjects objects) : IPutClient
{
    private readonly HttpClient _http = new();
    private readonly SimpleSigner _signer = new("s3", PutObjects.AccessKey, PutObjects.SecretKey, PutObjects.Region);

    public async ValueTask PutAsync(int key)
    {
        using HttpRequestMessage request = new(HttpMethod.Put, new Uri(server, $"/{PutObjects.Bucket}/{objects.KeyTexts[key]}"));
        request.Content = new ByteArrayContent(objects.Body);
        request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        _signer.Sign(request, objects.Body, TimeProvider.System.GetUtcNow());
        using HttpResponseMessage response = await _http.SendAsync(request);
        PutFailure.ThrowUnless(response.IsSuccessStatusCode && response.Headers.ETag?.Tag == objects.ETag, response.StatusCode.ToString());
    }

    public void Dispose() => _http.Dispose();
}
