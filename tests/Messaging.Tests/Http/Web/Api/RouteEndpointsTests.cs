using System.Net;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Console.Api;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
using Quayside.Messaging.Sources.Channels;

namespace Messaging.Tests.Http.Web.Api;

/// <summary>Pausing and resuming a route over the API.</summary>
public sealed class RouteEndpointsTests
{
    private const string Pause = "/api/v1/routes/pause";
    private const string Resume = "/api/v1/routes/resume";
    private const string Route = """{"route":"archive"}""";

    [Fact]
    public async Task Pause_CallersGet503WithRetryAfter_UntilItIsResumed()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.PostAsync(ApiHost.Body("a"));

        (int status, JsonElement body) = await host.SendAsync(HttpMethod.Post, Pause, """{"route":"archive","note":"the store is moved"}""");

        status.ShouldBe(200);
        body.GetProperty("pause").GetProperty("note").GetString().ShouldBe("the store is moved");
        using (HttpResponseMessage refused = await TryPostAsync(host))
        {
            refused.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
            refused.Headers.RetryAfter.ShouldNotBeNull().Delta.ShouldBe(TimeSpan.FromSeconds(5));
            (await refused.Content.ReadAsStringAsync()).ShouldContain("an operator has paused the route");
        }

        (await host.SendAsync(HttpMethod.Post, Resume, Route)).Status.ShouldBe(200);

        using HttpResponseMessage accepted = await TryPostAsync(host);
        accepted.StatusCode.ShouldBe(HttpStatusCode.OK);
    }

    /// <summary>.NET's own <c>PostAsJsonAsync</c> sends so.</summary>
    [Theory]
    [InlineData(0, HttpStatusCode.OK)]
    [InlineData(5_000, HttpStatusCode.BadRequest)]
    public async Task Pause_RequestWithoutALength_IsReadUpToTheLimit(int spaces, HttpStatusCode status)
    {
        await using ApiHost host = await ApiHost.StartAsync();
        using HttpRequestMessage request = new(HttpMethod.Post, Pause)
        { Content = new StringContent(Route + new string(' ', spaces), Encoding.UTF8, "application/json"), Headers = { TransferEncodingChunked = true } };
        request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", ApiHost.Token);

        using HttpResponseMessage answer = await host.Client.SendAsync(request);

        answer.StatusCode.ShouldBe(status);
    }

    [Fact]
    public async Task Pause_IsShownByStatsAndHealth_AndTheWorkerStaysReady()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.SendAsync(HttpMethod.Post, Pause, """{"route":"archive","note":"why"}""");

        JsonElement route = (await host.GetAsync("/api/v1/stats")).GetProperty("routes")[0];

        route.GetProperty("isReceiving").GetBoolean().ShouldBeFalse();
        route.GetProperty("isReady").GetBoolean().ShouldBeTrue();
        JsonElement pause = route.GetProperty("pause");
        pause.GetProperty("note").GetString().ShouldBe("why");
        pause.GetProperty("by").GetString().ShouldBe("the API, from 127.0.0.1");
        foreach (string page in (string[])["/healthz/ready", "/healthz/live"])
        {
            // Kubernetes must neither restart it nor take it out of its service: it could not be resumed there.
            JsonElement health = await host.GetAsync(page);
            health.GetProperty("status").GetString().ShouldBe("paused");
            health.GetProperty("routes")[0].GetProperty("receiving").GetBoolean().ShouldBeFalse();
            health.GetProperty("routes")[0].TryGetProperty("pausedSince", out _).ShouldBeTrue();
        }
    }

    [Fact]
    public async Task Pause_SinkFailsToo_IsNotReady()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.SendAsync(HttpMethod.Post, Pause, Route);

        host.App.Services.GetRequiredService<WorkerService>().Routes.Single().Breaker.Refused("no such bucket");

        using HttpResponseMessage ready = await host.Client.GetAsync("/healthz/ready");
        ready.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
    }

    [Theory]
    [InlineData("{}", 400)]
    [InlineData("""{"route":""}""", 400)]
    [InlineData("""{"route":"archive","pause":1}""", 400)]
    [InlineData("nonsense", 400)]
    [InlineData("""{"route":"other"}""", 404)]
    public async Task WrongRequest_IsRefused_AndChangesNothing(string json, int expected)
    {
        await using ApiHost host = await ApiHost.StartAsync();

        (await host.SendAsync(HttpMethod.Post, Pause, json)).Status.ShouldBe(expected);
        (await host.SendAsync(HttpMethod.Post, Resume, json)).Status.ShouldBe(expected);

        await host.PostAsync(ApiHost.Body("a"));
    }

    [Theory]
    [InlineData(Pause)]
    [InlineData(Resume)]
    public async Task WithoutTheToken_IsRefused_AlsoOnLoopback(string path)
    {
        await using ApiHost host = await ApiHost.StartAsync();

        (await host.SendAsync(HttpMethod.Post, path, Route, token: string.Empty)).Status.ShouldBe(401);
        (await host.SendAsync(HttpMethod.Post, path, Route, token: "another-token-of-tests")).Status.ShouldBe(401);

        await host.PostAsync(ApiHost.Body("a"));
    }

    [Theory]
    [InlineData("Origin", "http://evil.example", Pause)]
    [InlineData("Sec-Fetch-Site", "cross-site", Pause)]
    [InlineData("Host", "evil.example", Pause)]
    public async Task PageOfAnotherSite_IsRefused_EvenWithTheToken(string header, string value, string path)
    {
        await using ApiHost host = await ApiHost.StartAsync();
        using HttpRequestMessage request = new(HttpMethod.Post, path) { Content = new StringContent(Route, Encoding.UTF8, "application/json") };
        request.Headers.Authorization = new("Bearer", ApiHost.Token);
        request.Headers.TryAddWithoutValidation(header, value);

        using HttpResponseMessage answer = await host.Client.SendAsync(request);

        answer.StatusCode.ShouldBe(HttpStatusCode.Forbidden);
        await host.PostAsync(ApiHost.Body("a"));
    }

    [Theory]
    [InlineData(200, "done")]
    [InlineData(202, "started")]
    [InlineData(404, "refused (404)")]
    public async Task Changes_AreLoggedWithTheirSenderAndResult(int status, string result)
    {
        using RecordingLog log = new();
        ChangeLog changes = new(TimeProvider.System, log);

        await changes.RunAsync(RequestFrom("10.0.0.1"), context =>
        {
            ChangeLog.Describe(context, "pause route archive: why\nnot");
            context.Response.StatusCode = status;
            return Task.CompletedTask;
        });

        LogEntry entry = log.Entries.ShouldHaveSingleItem();
        entry.Id.Id.ShouldBe(1218);
        entry.Text.ShouldBe($"Over the API, from 10.0.0.1 with the token: pause route archive: why\\u000anot: {result}");
    }

    [Fact]
    public void Denied_OfManySenders_DoNotFillTheLog()
    {
        using RecordingLog log = new();
        ManualTimeProvider time = new();
        ChangeLog changes = new(time, log);
        HttpRefusal refusal = new(401, "token-wrong", "No.");

        for (int i = 0; i < 1_000; i++)
        {
            changes.Deny(RequestFrom($"10.0.{i / 250}.{i % 250}"), refusal);
        }

        log.Entries.Select(entry => entry.Id.Id).ShouldBe([1220]);
        time.Advance(TimeSpan.FromSeconds(10));
        changes.Deny(RequestFrom("10.0.3.200"), refusal);

        log.Entries[^1].Text.ShouldBe(
            "Over the API, from 10.0.3.200: POST /api/v1/redrive was denied (401 token-wrong). "
            + "If no program of yours sends this, restrict who reaches the worker (999 similar lines suppressed)");
    }

    [Fact]
    public async Task Stop_WhilePaused_HandlesWhatItsSourceHolds()
    {
        await using ApiHost host = await ApiHost.StartAsync("Routes:archive:Source=Http,Channel", "Hosting:DrainTimeout=30s");
        await host.SendAsync(HttpMethod.Post, Pause, Route);
        await host.App.Services.GetRequiredService<IMessagePublisher>().PublishAsync(Encoding.UTF8.GetBytes(ApiHost.Body("a")));
        IMessageWorker worker = host.App.Services.GetRequiredService<IMessageWorker>();

        await host.App.StopAsync();

        RouteTotals(worker).ShouldBe((1, 0));
        worker.DrainedCleanly.ShouldBeTrue();
    }

    private static (long Stored, long DeadLetters) RouteTotals(IMessageWorker worker) =>
        (worker.GetTotals("archive").Stored, worker.GetTotals("archive").DeadLetters);

    private static DefaultHttpContext RequestFrom(string address)
    {
        DefaultHttpContext context = new() { Request = { Method = "POST" } };
        context.Connection.RemoteIpAddress = IPAddress.Parse(address);
        context.SetEndpoint(
            new RouteEndpoint(_ => Task.CompletedTask, RoutePatternFactory.Parse("/api/v1/redrive"), order: 0, metadata: null, displayName: null));
        return context;
    }

    private static Task<HttpResponseMessage> TryPostAsync(ApiHost host) =>
        host.Client.PostAsync("/messages", new StringContent(ApiHost.Body("b"), Encoding.UTF8, "application/json"));
}
