using System.Net;
using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Http.Web.Api;
using Worker.Tests.Http.Source;

namespace Worker.Tests.Http.Web.Api;

/// <summary>The live tail of a route over the API.</summary>
public sealed class TailEndpointsTests
{
    private const string Tail = "/api/v1/routes/tail?route=archive";
    private const string On = "Hosting:TailPerSecond=100";

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Tail_ShowsMessagesAsTheyAreSettled_WithoutTheirSecrets_UntilTheWorkerStops()
    {
        await using ApiHost host = await ApiHost.StartAsync(On, "Sources:Http:Headers=x-*");
        using HttpResponseMessage answer = await StartAsync(host, Tail);
        answer.StatusCode.ShouldBe(HttpStatusCode.OK);
        answer.Content.Headers.ContentType?.ToString().ShouldBe("application/x-ndjson");
        using StreamReader lines = new(await answer.Content.ReadAsStreamAsync(Cancelled));

        using (HttpRequestMessage message = new(HttpMethod.Post, "/messages") { Content = new StringContent(ApiHost.Body("one").Replace("\"p\"", "\"p\",\"userPassword\":\"hidden\"", StringComparison.Ordinal)) })
        {
            message.Headers.Add("X-Api-Token", "hidden");
            message.Headers.Add("X-Tenant", "a");
            (await host.Client.SendAsync(message, Cancelled)).Dispose();
        }

        JsonElement stored = await ReadAsync(lines);
        await host.PostAsync(ApiHost.Poison);
        JsonElement poison = await ReadAsync(lines);

        stored.ToString().ShouldNotContain("hidden");
        (stored.GetProperty("result").GetString(), stored.GetProperty("source").GetString(), stored.GetProperty("delivery").GetInt32(), stored.GetProperty("cut").GetBoolean()).ShouldBe(("completed", "Http", 1, false));
        stored.GetProperty("body").GetProperty("MessageId").GetString().ShouldBe("one");
        stored.GetProperty("body").GetProperty("userPassword").GetString().ShouldBe("***");
        JsonElement attributes = stored.GetProperty("attributes");
        (attributes.GetProperty("x-tenant").GetString(), attributes.GetProperty("x-api-token").GetString()).ShouldBe(("a", "***"));
        (poison.GetProperty("result").GetString(), poison.GetProperty("reason").GetString(), poison.GetProperty("cut").GetBoolean()).ShouldBe(("dead-lettered", "malformed-json", true));

        Task stopping = host.App.StopAsync(Cancelled);
        JsonElement end = await ReadAsync(lines);
        await stopping;

        (end.GetProperty("end").GetString(), end.GetProperty("shown").GetInt32(), end.GetProperty("skipped").GetInt32(), end.GetProperty("dropped").GetInt32()).ShouldBe(("stopping", 2, 0, 0));
    }

    [Fact]
    public async Task Tail_EndsByItself_AndItsStartAndEndAreAudited()
    {
        await using ApiHost host = await ApiHost.StartAsync(On);
        using HttpResponseMessage answer = await StartAsync(host, $"{Tail}&perSecond=1&seconds=1");
        await host.PostAsync(ApiHost.Body("one"));
        await host.PostAsync(ApiHost.Body("two"));

        string[] lines = (await answer.Content.ReadAsStringAsync(Cancelled)).Split('\n', StringSplitOptions.RemoveEmptyEntries);

        lines[^1].ShouldStartWith("{\"end\":\"time\",");
        string[] changes = await ChangesAsync(host, count: 2);
        changes[1].ShouldBe("tail route archive for 1 s: started");
        changes[0].ShouldBe($"tail route archive: {lines.Length - 1} message(s) shown: done");
    }

    [Fact]
    public async Task Tail_ReaderLeaves_EndsIt()
    {
        await using ApiHost host = await ApiHost.StartAsync(On);
        (await StartAsync(host, Tail)).Dispose();

        (await ChangesAsync(host, count: 2))[0].ShouldBe("tail route archive: 0 message(s) shown: done");
    }

    [Fact]
    public async Task Tail_Fifth_IsRefused_UntilOneEnds()
    {
        await using ApiHost host = await ApiHost.StartAsync(On);
        List<HttpResponseMessage> open = [];
        for (int i = 0; i < 4; i++)
        {
            open.Add(await StartAsync(host, Tail));
            open[^1].StatusCode.ShouldBe(HttpStatusCode.OK);
        }

        (await host.SendAsync(HttpMethod.Get, Tail)).Status.ShouldBe(503);
        open[0].Dispose();
        await ChangesAsync(host, count: 6);

        open[0] = await StartAsync(host, Tail);

        open[0].StatusCode.ShouldBe(HttpStatusCode.OK);
        open.ForEach(one => one.Dispose());
    }

    [Theory]
    [InlineData(Tail + "&perSecond=0", 400)]
    [InlineData(Tail + "&perSecond=101", 400)]
    [InlineData(Tail + "&seconds=601", 400)]
    [InlineData(Tail + "&seconds=-1", 400)]
    [InlineData(Tail + "&seconds=x", 400)]
    [InlineData("/api/v1/routes/tail", 404)]
    [InlineData("/api/v1/routes/tail?route=other", 404)]
    public async Task Tail_WrongRequest_IsRefused(string path, int expected)
    {
        await using ApiHost host = await ApiHost.StartAsync(On);

        (await host.SendAsync(HttpMethod.Get, path)).Status.ShouldBe(expected);
    }

    [Fact]
    public async Task Tail_NotTurnedOn_IsRefusedWithTheSetting()
    {
        await using ApiHost host = await ApiHost.StartAsync();

        (int status, JsonElement body) = await host.SendAsync(HttpMethod.Get, Tail);

        status.ShouldBe(409);
        body.GetProperty("message").GetString().ShouldNotBeNull().ShouldContain("Hosting:TailPerSecond");
    }

    [Theory]
    [InlineData("")]
    [InlineData("another-token-of-tests")]
    public async Task Tail_WithoutTheToken_IsRefused_AlsoOnLoopback(string token)
    {
        await using ApiHost host = await ApiHost.StartAsync(On);

        (await host.SendAsync(HttpMethod.Get, Tail, token: token)).Status.ShouldBe(401);

        (await host.GetAsync("/api/v1/changes")).GetProperty("denied")[0].GetProperty("what").GetString().ShouldBe("GET /api/v1/routes/tail");
    }

    [Theory]
    [InlineData("Origin", "http://evil.example")]
    [InlineData("Sec-Fetch-Site", "cross-site")]
    [InlineData("Host", "evil.example")]
    public async Task Tail_PageOfAnotherSite_IsRefused_EvenWithTheToken(string header, string value)
    {
        await using ApiHost host = await ApiHost.StartAsync(On);
        using HttpRequestMessage request = new(HttpMethod.Get, Tail);
        request.Headers.Authorization = new("Bearer", ApiHost.Token);
        request.Headers.TryAddWithoutValidation(header, value);

        using HttpResponseMessage answer = await host.Client.SendAsync(request, Cancelled);

        answer.StatusCode.ShouldBe(HttpStatusCode.Forbidden);
    }

    private static async Task<HttpResponseMessage> StartAsync(ApiHost host, string path)
    {
        using HttpRequestMessage request = new(HttpMethod.Get, path);
        request.Headers.Authorization = new("Bearer", ApiHost.Token);
        return await host.Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, Cancelled);
    }

    private static async Task<JsonElement> ReadAsync(StreamReader lines) => JsonElement.Parse((await lines.ReadLineAsync(Cancelled)).ShouldNotBeNull());

    /// <summary>Waits until so many changes are in the audit log.</summary>
    private static async Task<string[]> ChangesAsync(ApiHost host, int count)
    {
        ChangeLog changes = host.App.Services.GetRequiredService<ChangeLog>();
        await HttpSourceHost.UntilAsync(() => changes.Last.Count >= count);
        return [.. changes.Last.Select(static change => $"{change.What}: {change.Result}")];
    }
}
