using System.Net;
using System.Text;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http.Source;
using Quayside.Messaging.Http.Web;

namespace Worker.Tests.Http.Web;

/// <summary>Pages of other origins: which may send messages, and what their browsers read.</summary>
public sealed class CrossOriginTests
{
    private const string Page = "https://shop.example.com";

    [Theory]
    [InlineData(Page, Page)]
    [InlineData("*", "*")]
    [InlineData("*, https://other.example.com", "*")]
    public async Task Preflight_OfAnAllowedOrigin_IsAnswered(string allowed, string answered)
    {
        await using TestWorker worker = await StartAsync($"Sources:Http:CorsOrigins={allowed}", "Sources:Http:CorsHeaders=X-Tenant", "Sources:Http:CorsMaxAge=1h");

        using HttpResponseMessage response = await PreflightAsync(worker, "/messages/orders", Page);

        response.StatusCode.ShouldBe(HttpStatusCode.NoContent);
        response.Headers.GetValues("Access-Control-Allow-Origin").ShouldBe([answered]);
        response.Headers.GetValues("Access-Control-Allow-Methods").ShouldBe(["POST"]);
        string.Join(',', response.Headers.GetValues("Access-Control-Allow-Headers")).ShouldBe("Content-Type,Content-Encoding,X-Message-Id,traceparent,tracestate,X-Tenant");
        response.Headers.GetValues("Access-Control-Max-Age").ShouldBe(["3600"]);
        response.Headers.Contains("Access-Control-Allow-Credentials").ShouldBeFalse();
    }

    [Theory]
    [InlineData("", Page, 403)]
    [InlineData("https://other.example.com", Page, 403)]
    [InlineData(Page, "http://shop.example.com", 403)]
    [InlineData(Page, "https://shop.example.com:8443", 403)]
    [InlineData(Page, "https://shop.example.com.example.com", 403)]
    [InlineData(Page, "null", 403)]
    [InlineData("", "http://localhost:3000", 405)]
    [InlineData(Page, "http://localhost:3000", 405)]
    public async Task Preflight_OfAnotherOrigin_IsNotAnswered(string allowed, string origin, int status)
    {
        await using TestWorker worker = await StartAsync($"Sources:Http:CorsOrigins={allowed}");

        using HttpResponseMessage response = await PreflightAsync(worker, "/messages/orders", origin);

        ((int)response.StatusCode).ShouldBe(status);
        response.Headers.ShouldNotContain(header => header.Key.StartsWith("Access-Control", StringComparison.OrdinalIgnoreCase));
    }

    [Theory]
    [InlineData("/messages/orders", 200)]
    [InlineData("/messages/orders/", 200)]
    [InlineData("/messages/ORDERS", 200)]
    [InlineData("/messages/closed", 403)]
    [InlineData("/messages/orders/more", 403)]
    [InlineData("/messagesorders", 403)]
    [InlineData("/", 403)]
    [InlineData("/api/v1/stats", 403)]
    [InlineData("/metrics", 403)]
    public async Task Post_OfAnAllowedOrigin_ReachesOnlyItsRoute(string path, int status)
    {
        await using TestWorker worker = await StartAsync($"Routes:orders:Sources:Http:CorsOrigins={Page}");

        using HttpResponseMessage response = await SendAsync(worker, HttpMethod.Post, path, Page, "{}");

        ((int)response.StatusCode).ShouldBe(status);
        response.Headers.Contains("Access-Control-Allow-Origin").ShouldBe(status == 200);
    }

    [Fact]
    public async Task Post_WithAForeignHost_IsRefusedAllTheSame()
    {
        await using TestWorker worker = await StartAsync("Sources:Http:CorsOrigins=*");

        using HttpResponseMessage response = await SendAsync(worker, HttpMethod.Post, "/messages/orders", Page, "{}", host: "evil.example.com");

        response.StatusCode.ShouldBe(HttpStatusCode.Forbidden);
    }

    [Fact]
    public async Task Post_ThatIsRefused_IsReadableForThePage()
    {
        await using TestWorker worker = await StartAsync($"Sources:Http:CorsOrigins={Page}");

        using HttpResponseMessage response = await SendAsync(worker, HttpMethod.Post, "/messages/orders", Page, string.Empty);

        response.StatusCode.ShouldBe(HttpStatusCode.BadRequest);
        response.Headers.GetValues("Access-Control-Allow-Origin").ShouldBe([Page]);
        response.Headers.GetValues("Access-Control-Expose-Headers").ShouldBe(["Retry-After"]);
    }

    [Theory]
    [InlineData("CorsOrigins", "shop.example.com")]
    [InlineData("CorsOrigins", "https://shop.example.com/")]
    [InlineData("CorsOrigins", "https://shop.example.com:443")]
    [InlineData("CorsOrigins", "https://Shop.example.com")]
    [InlineData("CorsOrigins", "https://*.example.com")]
    [InlineData("CorsOrigins", "null")]
    [InlineData("CorsHeaders", "X Tenant")]
    public void Configure_WhatNoBrowserSends_IsReported(string key, string value)
    {
        Quayside.Messaging.Configuration.SettingsReader reader = new(new ConfigurationBuilder().AddInMemoryCollection([new($"Sources:Http:{key}", value)]).Build());

        new HttpSourceFeature().Configure(reader, "orders");

        reader.Errors.ShouldHaveSingleItem().ToString().ShouldContain($"\"{value}\" is not one");
    }

    private static Task<TestWorker> StartAsync(params string[] settings) => TestWorker.StartAsync(
        worker => worker.AddHttp().AddArchive(),
        [
            new("Handlers:Archive:Template", "{MessageId}"),
            new("Handlers:Archive:MissingId", "UseSourceId"),
            new("Routes:orders:Handler", "Archive"),
            new("Routes:orders:Sink", TestWorker.Sink),
            new("Routes:orders:Source", "Http"),
            new("Routes:closed:Handler", "Archive"),
            new("Routes:closed:Sink", TestWorker.Sink),
            new("Routes:closed:Source", "Http"),
            .. settings.Select(setting => setting.Split('=', 2)).Select(pair => KeyValuePair.Create<string, string?>(pair[0], pair[1])),
        ]);

    private static Task<HttpResponseMessage> PreflightAsync(TestWorker worker, string path, string origin) => SendAsync(worker, HttpMethod.Options, path, origin, body: null);

    private static async Task<HttpResponseMessage> SendAsync(TestWorker worker, HttpMethod method, string path, string origin, string? body, string? host = null)
    {
        using HttpClient client = new() { BaseAddress = new Uri(worker.Services.GetRequiredService<WebServer>().Urls.ShouldHaveSingleItem()) };
        using HttpRequestMessage request = new(method, path) { Content = body is null ? null : new StringContent(body, Encoding.UTF8, "application/json") };
        request.Headers.Host = host;
        request.Headers.TryAddWithoutValidation("Origin", origin);
        request.Headers.Add("Sec-Fetch-Site", "cross-site");
        if (method == HttpMethod.Options)
        {
            request.Headers.Add("Access-Control-Request-Method", "POST");
            request.Headers.Add("Access-Control-Request-Headers", "content-type,x-tenant");
        }

        return await client.SendAsync(request);
    }
}
