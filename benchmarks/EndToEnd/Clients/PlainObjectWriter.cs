namespace Benchmarks.EndToEnd.Clients;

/// <summary>PUT by HttpClient with a signature: the cheapest loop that needs no library and pools nothing.</summary>
internal sealed class PlainObjectWriter(HttpClient http, ClientSettings settings) : IObjectWriter
{
    private readonly PlainSigV4 _signer = new("s3");

    public async Task PutAsync(string key, byte[] body)
    {
        using HttpRequestMessage request = new(HttpMethod.Put, new Uri(settings.Endpoint, $"/{ClientSettings.Bucket}/{key}")) { Content = new ByteArrayContent(body) };
        request.Headers.TryAddWithoutValidation("If-None-Match", "*");
        _signer.Sign(request, body);
        using HttpResponseMessage response = await http.SendAsync(request);
        response.EnsureSuccessStatusCode();
    }
}
