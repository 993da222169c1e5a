using System.Net.Http.Headers;

namespace Benchmarks.Aws.Wire;

/// <summary>PUT by HttpClient and <see cref="SimpleSigner"/>: what a competent developer writes instead of using the SDK.</summary>
internal sealed class SignedObjectWriter(Uri server, string bucket) : IObjectWriter
{
    private readonly HttpClient _http = new(new SocketsHttpHandler { UseProxy = false });
    private readonly SimpleSigner _signer = new("s3", WireAccount.AccessKey, WireAccount.SecretKey, WireAccount.Region);

    public async Task<string?> PutAsync(string key, byte[] body, bool onlyIfAbsent)
    {
        using HttpRequestMessage request = new(HttpMethod.Put, new Uri(server, $"/{bucket}/{key}")) { Content = new ByteArrayContent(body) };
        request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        if (onlyIfAbsent)
        {
            request.Headers.TryAddWithoutValidation("If-None-Match", "*");
        }

        _signer.Sign(request, body, TimeProvider.System.GetUtcNow());
        using HttpResponseMessage response = await _http.SendAsync(request);
        response.EnsureSuccessStatusCode();
        return response.Headers.ETag?.Tag;
    }

    public void Dispose() => _http.Dispose();
}
