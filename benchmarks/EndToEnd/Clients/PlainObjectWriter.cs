using Benchmarks.Wire;

namespace Benchmarks.EndToEnd.Clients;

/// <summary>PUT by HttpClient with a signature: the cheapest loop that needs no library and pools nothing.</summary>
internal sealed class PlainObjectWriter(HttpClient http, ClientSettings settings) : IObjectWriter
{
    private readonly SimpleSigner _signer = new("s3", ClientSettings.AccessKey, ClientSettings.SecretKey, ClientSettings.Region);

    public async Task PutAsync(string key, byte[] body)
    {
        using HttpRequestMessage request = new(HttpMethod.Put, new Uri(settings.Endpoint, $"/{ClientSettings.Bucket}/{key}")) { Content = new ByteArrayContent(body) };
        request.Headers.TryAddWithoutValidation("If-None-Match", "*");
        _signer.Sign(request, body, TimeProvider.System.GetUtcNow());
        using HttpResponseMessage response = await http.SendAsync(request);
        response.EnsureSuccessStatusCode();
    }
}
