using System.Net;
using System.Text.Json;
using System.Text.RegularExpressions;
using Messaging.Tests.Http.Source;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Console.Api;
using Quayside.Messaging.Console.Page;
using Quayside.Messaging.Hosting;

namespace Messaging.Tests.Http.Web.Api;

public sealed class StatsEndpointsTests
{
    [Fact]
    public async Task Stats_AfterMessages_CountTheirOutcomes()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.GetAsync("/api/v1/stats");
        JsonElement stats;
        int posts = 0;
        do
        {
            // The times are those of the messages since the last update.
            await host.PostAsync(ApiHost.Body("a"));
            posts++;
            stats = await host.GetAsync("/api/v1/stats");
        }
        while (stats.GetProperty("measured").GetProperty("archive").GetProperty("process") is not { ValueKind: JsonValueKind.Object } times
            || times.GetProperty("p50").GetDouble() <= 0);

        await host.PostAsync(ApiHost.Poison);
        Breaker(host).Refused("no such bucket");
        do
        {
            // The worker updates the statistics at most twice per second.
            stats = await host.GetAsync("/api/v1/stats");
        }
        while (stats.GetProperty("routes")[0].GetProperty("breaker").GetString() == "closed");

        stats.GetProperty("process").GetInt32().ShouldBe(Environment.ProcessId);
        stats.GetProperty("canChange").GetBoolean().ShouldBeTrue();
        JsonElement route = stats.GetProperty("routes").EnumerateArray().Single();
        route.GetProperty("name").GetString().ShouldBe("archive");
        route.GetProperty("handler").GetString().ShouldBe("Archive");
        route.GetProperty("sink").GetString().ShouldBe("Memory");
        JsonElement totals = route.GetProperty("totals");
        totals.GetProperty("received").GetInt64().ShouldBe(posts + 1);
        totals.GetProperty("stored").GetInt64().ShouldBe(posts);
        totals.GetProperty("duplicates").GetInt64().ShouldBe(posts - 1);
        totals.GetProperty("deadLetters").GetInt64().ShouldBe(1);
        stats.GetProperty("measured").GetProperty("archive").GetProperty("deadLettersByReason").GetProperty("malformed-json").GetInt64().ShouldBeGreaterThan(0);
        route.GetProperty("lastDeadLetter").GetString()!.ShouldContain("malformed-json at byte");
        route.GetProperty("slots").GetInt32().ShouldBe(1_000);
        route.GetProperty("limit").GetInt32().ShouldBe(1_000);
        route.GetProperty("lastFailure").GetString().ShouldBe("no such bucket");
        route.GetProperty("nextProbe").GetDouble().ShouldBeGreaterThan(0);
        route.GetProperty("oldestAge").GetDouble().ShouldBeGreaterThanOrEqualTo(0);
        route.GetProperty("calls").ValueKind.ShouldBe(JsonValueKind.Object);
        route.GetProperty("problems").EnumerateArray().Select(static problem => problem.GetProperty("event").GetInt32()).ShouldBe([2001]);
    }

    [Fact]
    public async Task Stats_OfAPausedRoute_HaveTheProblem()
    {
        await using ApiHost host = await ApiHost.StartAsync("Hosting:DocsUrl=https://docs.example.com/{page}.html");
        await host.SendAsync(HttpMethod.Post, "/api/v1/routes/pause", """{"route":"archive","note":"why"}""");

        JsonElement stats = await host.GetAsync("/api/v1/stats");
        stats.GetProperty("docsUrl").GetString().ShouldBe("https://docs.example.com/{page}.html");
        JsonElement problem = stats.GetProperty("routes")[0].GetProperty("problems").EnumerateArray().Single();

        problem.GetProperty("event").GetInt32().ShouldBe(1016);
        problem.GetProperty("severity").GetString().ShouldBe("warning");
        problem.GetProperty("text").GetString()!.ShouldEndWith(": why.");
        problem.GetProperty("setting").GetString()!.ShouldEndWith(" resume archive");
        (DateTime.UtcNow - problem.GetProperty("since").GetDateTime()).ShouldBeLessThan(TimeSpan.FromMinutes(10));
    }

    [Fact]
    public async Task Config_HasNoSecret()
    {
        await using ApiHost host = await ApiHost.StartAsync();

        string text = await host.Client.GetStringAsync("/api/v1/config");

        text.ShouldContain("\"key\":\"Hosting:Token\",\"value\":\"***\"");
        text.ShouldNotContain(ApiHost.Token);
    }

    [Fact]
    public async Task Events_WorkerStops_EndWithTheReason()
    {
        await using ApiHost host = await ApiHost.StartAsync("Hosting:DrainTimeout=10m");
        using Stream stream = await host.Client.GetStreamAsync("/api/v1/events");
        using StreamReader reader = new(stream);
        (await reader.ReadLineAsync()).ShouldBe("event: stats");
        (await reader.ReadLineAsync())!.ShouldStartWith("data: {\"version\":");

        Task stopping = host.App.StopAsync();

        string rest = await reader.ReadToEndAsync();
        rest.ShouldEndWith("event: end\ndata: {\"reason\":\"stopping\"}\n\n");
        await stopping.WaitAsync(TimeSpan.FromMinutes(1));
    }

    [Fact]
    public async Task Events_MoreWatchersThanAllowed_AreRefusedUntilOneLeaves()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        List<Stream> watchers = [];
        for (int i = 0; i < Watchers.Max; i++)
        {
            watchers.Add(await host.Client.GetStreamAsync("/api/v1/events"));
        }

        using HttpResponseMessage refused = await host.Client.GetAsync("/api/v1/events");
        refused.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        (await refused.Content.ReadAsStringAsync()).ShouldContain("too-many-watchers");

        await watchers[0].DisposeAsync();
        HttpStatusCode status;
        do
        {
            using HttpResponseMessage answer = await host.Client.GetAsync("/api/v1/events", HttpCompletionOption.ResponseHeadersRead);
            status = answer.StatusCode;
        }
        while (status != HttpStatusCode.OK);

        watchers.ForEach(static watcher => watcher.Dispose());
    }

    [Theory]
    [InlineData("Hosting:Url=http://0.0.0.0:0")]
    [InlineData("Hosting:AllowedHosts=worker.example.com")]
    public async Task Api_OthersThanThisMachineMayReachIt_NeedsTheToken(string setting)
    {
        await using ApiHost host = await ApiHost.StartAsync(setting);

        (await host.SendAsync(HttpMethod.Get, "/api/v1/stats", token: string.Empty)).Status.ShouldBe(401);
        (await host.SendAsync(HttpMethod.Get, "/api/v1/stats", token: $"{ApiHost.Token}x")).Status.ShouldBe(401);
        (await host.SendAsync(HttpMethod.Get, "/api/v1/stats")).Status.ShouldBe(200);
        (await host.Client.GetAsync("/")).StatusCode.ShouldBe(HttpStatusCode.OK, "It holds no data.");
        (await host.Client.GetAsync("/metrics")).StatusCode.ShouldBe(HttpStatusCode.OK);
    }

    [Theory]
    [InlineData("Hosting:Url=http://0.0.0.0:0", "/", 403)]
    [InlineData("Hosting:Url=http://0.0.0.0:0", "/page.js", 403)]
    [InlineData("Hosting:Url=http://0.0.0.0:0", "/api/v1/stats", 403)]
    [InlineData("Hosting:AllowedHosts=worker.example.com", "/", 403)]
    [InlineData("Hosting:AllowedHosts=worker.example.com", "/page.js", 403)]
    [InlineData("Hosting:AllowedHosts=worker.example.com", "/api/v1/stats", 403)]
    [InlineData("Hosting:AllowedHosts=*", "/api/v1/stats", 403)]
    [InlineData("Hosting:AllowedHosts=", "/", 200)]
    [InlineData("Hosting:AllowedHosts=", "/page.js", 200)]
    [InlineData("Hosting:AllowedHosts=", "/api/v1/stats", 200)]
    public async Task NoToken_OnlyAWorkerForThisMachineIsShown(string setting, string path, int status)
    {
        await using ApiHost host = await ApiHost.StartAsync("Hosting:Token=", setting);

        using HttpResponseMessage answer = await host.Client.GetAsync(path);

        ((int)answer.StatusCode).ShouldBe(status);
        if (status == 403)
        {
            (await answer.Content.ReadAsStringAsync()).ShouldContain("\"error\":\"token-not-set\"");
        }

        (await host.SendAsync(HttpMethod.Post, "/api/v1/redrive", "{}")).Status.ShouldBe(403);
    }

    [Theory]
    [InlineData("GET /api/v1/stats", "Origin: http://evil.example")]
    [InlineData("GET /api/v1/stats", "Sec-Fetch-Site: cross-site")]
    [InlineData("GET /api/v1/dead-letters", "Host: rebound.example")]
    [InlineData("POST /api/v1/redrive", "Origin: http://evil.example")]
    [InlineData("GET /", "Host: rebound.example")]
    [InlineData("GET /metrics", "Origin: http://evil.example")]
    public async Task PageOfAnotherSite_IsRefused(string request, string header)
    {
        await using ApiHost host = await ApiHost.StartAsync();
        string hostLine = header.StartsWith("Host", StringComparison.Ordinal) ? string.Empty : "Host: localhost\n";
        await using RawConnection connection = await RawConnection.ConnectAsync(
            host.Client.BaseAddress!.Port, $"{request} HTTP/1.1\n{hostLine}{header}\nAuthorization: Bearer {ApiHost.Token}\nContent-Length: 0\n\n");

        (await connection.ReadAsync()).Status.ShouldBe(403);
    }

    [Fact]
    public async Task Page_IsServedWithItsPolicy()
    {
        await using ApiHost host = await ApiHost.StartAsync();

        using HttpResponseMessage page = await host.Client.GetAsync("/");

        page.Content.Headers.ContentType!.MediaType.ShouldBe("text/html");
        page.Headers.GetValues("Content-Security-Policy").Single().ShouldStartWith("default-src 'self';");
        page.Headers.GetValues("X-Content-Type-Options").Single().ShouldBe("nosniff");
        using HttpRequestMessage again = new(HttpMethod.Get, "/");
        again.Headers.IfNoneMatch.Add(page.Headers.ETag!);
        (await host.Client.SendAsync(again)).StatusCode.ShouldBe(HttpStatusCode.NotModified);
    }

    /// <summary>The page links to its headings, with or without <c>Hosting:DocsUrl</c>.</summary>
    [Fact]
    public async Task Alerts_AreServed_WithTheHeadingOfEachProblemThatNamesThem()
    {
        await using ApiHost host = await ApiHost.StartAsync();

        using HttpResponseMessage answer = await host.Client.GetAsync($"/{PageFiles.Alerts}");

        answer.Content.Headers.ContentType!.MediaType.ShouldBe("text/html");
        string[] lines = (await answer.Content.ReadAsStringAsync()).ToLowerInvariant().Split('\n');
        string script = await host.Client.GetStringAsync("/page.js");
        string[] headings = [.. Regex.Matches(script, "[0-9]{4}: '(?<heading>[a-z]+)'").Select(static one => $"## {one.Groups["heading"].Value}")];
        headings.Length.ShouldBeGreaterThan(10);
        headings.ShouldBeSubsetOf(lines);
    }

    [Fact]
    public async Task Page_WithAllItsFiles_TakesLessThan60KBOnTheWire()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        string[] files = [
            .. typeof(ApiAccess).Assembly
                .GetManifestResourceNames()
                .Where(name => name.StartsWith("Page/", StringComparison.Ordinal))
                .Select(name => name["Page/".Length..])];
        files.ShouldContain("index.html");
        long total = 0;
        foreach (string file in files)
        {
            using HttpRequestMessage request = new(HttpMethod.Get, file == "index.html" ? "/" : $"/{file}") { Headers = { { "Accept-Encoding", "gzip" } } };
            using HttpResponseMessage answer = await host.Client.SendAsync(request);
            answer.Content.Headers.ContentEncoding.ShouldBe(["gzip"], file);
            total += answer.Content.Headers.ContentLength!.Value;
        }

        total.ShouldBeLessThan(60_000);
    }

    private static Quayside.Messaging.Recoverability.CircuitBreaker Breaker(ApiHost host) =>
        host.App.Services.GetRequiredService<WorkerService>().Routes.Single().Breaker;
}
