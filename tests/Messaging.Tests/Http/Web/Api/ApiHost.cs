using System.Net;
using System.Net.Http.Headers;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json;
using Microsoft.Extensions.Hosting;

namespace Messaging.Tests.Http.Web.Api;

/// <summary>A worker with the API of its page, a memory sink, and its own folder of dead letters.</summary>
internal sealed class ApiHost : IAsyncDisposable
{
    public const string Token = "a-token-of-the-tests";
    public const string Poison = "{\"broken";

    private readonly TemporaryFolder _folder;

    private ApiHost(IHost app, TemporaryFolder folder)
    {
        App = app;
        _folder = folder;
        Client = new HttpClient(new SocketsHttpHandler { UseProxy = false }) { BaseAddress = new Uri($"http://127.0.0.1:{WebServerTests.PortOf(app)}") };
    }

    public IHost App { get; }

    public HttpClient Client { get; }

    public string Letters => _folder["letters"];

    public static async Task<ApiHost> StartAsync(params string[] keys)
    {
        TemporaryFolder folder = new();
        return new ApiHost(await WebServerTests.StartAsync([$"DeadLetters:Path={folder["letters"]}", $"Hosting:Token={Token}", .. keys]), folder);
    }

    public static string Body(string id) => $$"""{"EventDateUtc":"2026-01-31T10:00:00Z","Product":"p","SiteKey":"s","EventName":"e","MessageId":"{{id}}"}""";

    /// <summary>Posts a message, which is stored or dead-lettered.</summary>
    public async Task PostAsync(string body, string? id = null)
    {
        using HttpRequestMessage request = new(HttpMethod.Post, "/messages") { Content = new StringContent(body, Encoding.UTF8, "application/json") };
        if (id is not null)
        {
            request.Headers.Add("X-Message-Id", id);
        }

        using HttpResponseMessage answer = await Client.SendAsync(request);
        answer.StatusCode.ShouldBeOneOf([HttpStatusCode.OK, HttpStatusCode.UnprocessableEntity], await answer.Content.ReadAsStringAsync());
    }

    public async Task<JsonElement> GetAsync(string path) => await Client.GetFromJsonAsync<JsonElement>(path);

    /// <summary>Sends JSON with the token, with another one, or without one when it is empty.</summary>
    public async Task<(int Status, JsonElement Body)> SendAsync(HttpMethod method, string path, string? json = null, string token = Token)
    {
        using HttpRequestMessage request = new(method, path) { Content = json is null ? null : new StringContent(json, Encoding.UTF8, "application/json") };
        request.Headers.Authorization = token.Length == 0 ? null : new AuthenticationHeaderValue("Bearer", token);
        using HttpResponseMessage answer = await Client.SendAsync(request);
        return ((int)answer.StatusCode, await answer.Content.ReadFromJsonAsync<JsonElement>());
    }

    /// <summary>Waits for the end of a redrive.</summary>
    public async Task<JsonElement> RedrivenAsync()
    {
        while (true)
        {
            JsonElement state = await GetAsync("/api/v1/redrive");
            if (state.GetProperty("state").GetString() == "done")
            {
                return state;
            }

            await Task.Delay(20);
        }
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await App.StopAsync();
        App.Dispose();
        _folder.Dispose();
    }
}
