using System.Net;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
using Quayside.Messaging.Http.Web.Api;
using Quayside.Messaging.Sources.Channels;
using Quayside.Pipeline.Buffers;

namespace Worker.Tests.Http.Web.Api;

/// <summary>Pausing and resuming a route over the API.</summary>
public sealed class RouteEndpointsTests
{
    private const string Pause = "/api/v1/routes/pause";
    private const string Resume = "/api/v1/routes/resume";
    private const string Probe = "/api/v1/routes/probe";
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
        using HttpRequestMessage request = new(HttpMethod.Post, Pause) { Content = new StringContent(Route + new string(' ', spaces), Encoding.UTF8, "application/json"), Headers = { TransferEncodingChunked = true } };
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

        route.GetProperty("receiving").GetBoolean().ShouldBeFalse();
        route.GetProperty("ready").GetBoolean().ShouldBeTrue();
        JsonElement pause = route.GetProperty("pause");
        pause.GetProperty("note").GetString().ShouldBe("why");
        pause.GetProperty("by").GetString().ShouldBe("the API, from 127.0.0.1");
        pause.GetProperty("kept").GetBoolean().ShouldBeFalse();
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

    [Fact]
    public async Task Keep_StaysPausedAfterARestart_UntilItIsResumed()
    {
        using TemporaryFolder state = new();
        string[] keys = [$"Hosting:StatePath={state["state"]}"];
        await using (ApiHost first = await ApiHost.StartAsync(keys))
        {
            await first.SendAsync(HttpMethod.Post, Pause, """{"route":"archive"}""");
            (await first.SendAsync(HttpMethod.Post, Pause, """{"route":"ARCHIVE","note":"why","keep":true}""")).Body.GetProperty("pause").GetProperty("kept").GetBoolean().ShouldBeTrue();
        }

        await using (ApiHost second = await ApiHost.StartAsync(keys))
        {
            JsonElement pause = (await second.GetAsync("/api/v1/stats")).GetProperty("routes")[0].GetProperty("pause");
            pause.GetProperty("note").GetString().ShouldBe("why");
            pause.GetProperty("kept").GetBoolean().ShouldBeTrue();
            using HttpResponseMessage refused = await TryPostAsync(second);
            refused.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
            await second.SendAsync(HttpMethod.Post, Resume, Route);
        }

        await using ApiHost third = await ApiHost.StartAsync(keys);
        (await third.GetAsync("/api/v1/stats")).GetProperty("routes")[0].GetProperty("pause").ValueKind.ShouldBe(JsonValueKind.Null);
        await third.PostAsync(ApiHost.Body("a"));
    }

    [Fact]
    public async Task NotKept_EndsWithTheProcess()
    {
        using TemporaryFolder state = new();
        string[] keys = [$"Hosting:StatePath={state["state"]}"];
        await using (ApiHost first = await ApiHost.StartAsync(keys))
        {
            await first.SendAsync(HttpMethod.Post, Pause, Route);
        }

        await using ApiHost second = await ApiHost.StartAsync(keys);
        await second.PostAsync(ApiHost.Body("a"));
        Directory.Exists(state["state"]).ShouldBeFalse("Nothing was to be kept.");
    }

    [Fact]
    public async Task Keep_DamagedFile_StillPauses()
    {
        using TemporaryFolder state = new();
        Directory.CreateDirectory(state["state/paused"]);
        await File.WriteAllTextAsync(state["state/paused/archive.json"], """{"route":"arch""");

        await using ApiHost host = await ApiHost.StartAsync($"Hosting:StatePath={state["state"]}");

        (await host.GetAsync("/api/v1/stats")).GetProperty("routes")[0].GetProperty("pause").GetProperty("note").GetString().ShouldNotBeNull().ShouldStartWith("unreadable");
        using HttpResponseMessage refused = await TryPostAsync(host);
        refused.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
    }

    [Fact]
    public async Task Keep_FolderCannotBeWritten_IsRefusedWithTheReasonAndPausesNothing()
    {
        using TemporaryFolder state = new();
        await File.WriteAllTextAsync(state["state"], "a file, where the folder belongs");
        await using ApiHost host = await ApiHost.StartAsync($"Hosting:StatePath={state["state/below"]}");

        (int status, JsonElement body) = await host.SendAsync(HttpMethod.Post, Pause, """{"route":"archive","keep":true}""");

        status.ShouldBe(409);
        body.GetProperty("error").GetString().ShouldBe("not-kept");
        body.GetProperty("message").GetString().ShouldNotBeNull().ShouldContain("Hosting:StatePath");
        await host.PostAsync(ApiHost.Body("a"));
    }

    [Fact]
    public async Task Probe_ChecksTheSink_AndIsAudited()
    {
        using TemporaryFolder objects = new();
        await using ApiHost host = await ApiHost.StartAsync("Routes:archive:Sink=Directory", $"Sinks:Directory:Path={objects["objects"]}");

        (int status, JsonElement reachable) = await host.SendAsync(HttpMethod.Post, Probe, """{"route":"ARCHIVE"}""");
        Directory.Delete(objects["objects"], recursive: true);
        await File.WriteAllTextAsync(objects["objects"], "a file, where the folder belongs");
        JsonElement failing = (await host.SendAsync(HttpMethod.Post, Probe, Route)).Body;

        status.ShouldBe(200);
        reachable.GetProperty("sink").GetString().ShouldBe("Directory");
        reachable.GetProperty("reachable").GetBoolean().ShouldBeTrue();
        reachable.GetProperty("problem").ValueKind.ShouldBe(JsonValueKind.Null);
        reachable.GetProperty("seconds").GetDouble().ShouldBeGreaterThan(0);
        failing.GetProperty("reachable").GetBoolean().ShouldBeFalse();
        failing.GetProperty("problem").GetString().ShouldNotBeNull().ShouldContain(objects["objects"]);
        (await host.GetAsync("/api/v1/changes")).GetProperty("changes").EnumerateArray().Select(change => $"{change.GetProperty("what")}: {change.GetProperty("result")}")
            .ShouldBe(["probe the sink of route archive, which cannot be reached: done", "probe the sink of route ARCHIVE, which can be reached: done"]);
    }

    [Fact]
    public async Task Probe_RouteWithoutASink_IsRefused()
    {
        DefaultHttpContext context = new() { Request = { ContentType = "application/json", ContentLength = Route.Length, Body = new MemoryStream(Encoding.UTF8.GetBytes(Route)) } };

        NoSinks worker = new();
        await new RouteEndpoints(worker, worker, new HttpAnswers(new BufferPool())).ProbeAsync(context);

        context.Response.StatusCode.ShouldBe(409);
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
        (await host.SendAsync(HttpMethod.Post, Probe, json)).Status.ShouldBe(expected);

        await host.PostAsync(ApiHost.Body("a"));
    }

    [Theory]
    [InlineData(Pause)]
    [InlineData(Resume)]
    [InlineData(Probe)]
    public async Task WithoutTheToken_IsRefused_AlsoOnLoopback(string path)
    {
        await using ApiHost host = await ApiHost.StartAsync();

        (await host.SendAsync(HttpMethod.Post, path, Route, token: string.Empty)).Status.ShouldBe(401);
        (await host.SendAsync(HttpMethod.Post, path, Route, token: "another-token-of-tests")).Status.ShouldBe(401);

        await host.PostAsync(ApiHost.Body("a"));
        (await host.GetAsync("/api/v1/changes")).GetProperty("changes").GetArrayLength().ShouldBe(0, "Nothing was allowed, so nothing was changed.");
    }

    [Theory]
    [InlineData("Origin", "http://evil.example", Pause)]
    [InlineData("Sec-Fetch-Site", "cross-site", Pause)]
    [InlineData("Host", "evil.example", Pause)]
    [InlineData("Origin", "http://evil.example", Probe)]
    [InlineData("Sec-Fetch-Site", "cross-site", Probe)]
    [InlineData("Host", "evil.example", Probe)]
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

    [Fact]
    public async Task Changes_ListEveryRequestThatHadTheToken_TheNewestFirst()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.SendAsync(HttpMethod.Post, Pause, """{"route":"archive","note":"why\nnot"}""");
        await host.SendAsync(HttpMethod.Post, Resume, Route);
        await host.SendAsync(HttpMethod.Post, Resume, """{"route":"other"}""");
        await host.SendAsync(HttpMethod.Post, "/api/v1/dead-letters/discard", """{"all":true}""");

        // A change is recorded after its answer.
        JsonElement[] changes;
        do
        {
            changes = [.. (await host.GetAsync("/api/v1/changes")).GetProperty("changes").EnumerateArray()];
        }
        while (changes.Length < 5);

        changes.Select(change => $"{change.GetProperty("from")}: {change.GetProperty("what")}: {change.GetProperty("result")}").ShouldBe([
            "127.0.0.1: discard dead letters, all: ended: 0 done, 0 left",
            "127.0.0.1: discard dead letters, all: started",
            "127.0.0.1: resume route other: refused (404)",
            "127.0.0.1: resume route archive: done",
            "127.0.0.1: pause route archive: why\\u000anot: done",
        ]);
    }

    [Fact]
    public async Task Changes_CountWhatWasDenied_WithoutTheTokenThatWasTried()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.SendAsync(HttpMethod.Post, Pause, Route, token: "another-token-of-tests");
        await host.SendAsync(HttpMethod.Post, "/API/v1/routes/pause?a-secret", Route, token: "another-token-of-tests");
        await host.SendAsync(HttpMethod.Delete, "/api/v1/redrive", token: string.Empty);
        (await host.Client.GetAsync(Pause)).Dispose();
        using (HttpRequestMessage request = new(HttpMethod.Post, Resume) { Headers = { { "Origin", "http://evil.example" } } })
        {
            request.Headers.Authorization = new("Bearer", ApiHost.Token);
            (await host.Client.SendAsync(request)).Dispose();
        }

        using HttpRequestMessage read = new(HttpMethod.Get, "/api/v1/stats") { Headers = { { "Origin", "http://evil.example" } } };
        (await host.Client.SendAsync(read)).Dispose();

        JsonElement answer = await host.GetAsync("/api/v1/changes");

        answer.GetProperty("changes").GetArrayLength().ShouldBe(0);
        answer.GetProperty("denied").EnumerateArray().Select(denied => $"{denied.GetProperty("from")}: {denied.GetProperty("what")}: {denied.GetProperty("reason")}, {denied.GetProperty("count")}").ShouldBe([
            "127.0.0.1: POST /api/v1/routes/resume: origin-not-allowed, 1",
            "127.0.0.1: DELETE /api/v1/redrive: token-required, 1",
            "127.0.0.1: POST /api/v1/routes/pause: token-wrong, 2",
        ]);
        answer.ToString().ShouldNotContain("another-token");
        answer.ToString().ShouldNotContain("secret");
    }

    [Fact]
    public void Denied_OfManySenders_FillNeitherTheMemoryNorTheLog()
    {
        using RecordingLog log = new();
        ManualTimeProvider time = new();
        ChangeLog changes = new(time, log);
        HttpRefusal refusal = new(401, "token-wrong", "No.");

        for (int i = 0; i < 1_000; i++)
        {
            changes.Deny(RequestFrom($"10.0.{i / 250}.{i % 250}"), refusal);
        }

        changes.Denied.Count.ShouldBe(50);
        changes.Denied[0].From.ShouldBe("10.0.3.249");
        log.Entries.Select(entry => entry.Id.Id).ShouldBe([1220]);
        time.Advance(TimeSpan.FromSeconds(10));
        changes.Deny(RequestFrom("10.0.3.200"), refusal);

        changes.Denied.Count.ShouldBe(50);
        (changes.Denied[0].From, changes.Denied[0].Count, changes.Denied[0].Last - changes.Denied[0].First).ShouldBe(("10.0.3.200", 2, TimeSpan.FromSeconds(10)));
        log.Entries[^1].Text.ShouldBe("Over the API, from 10.0.3.200: POST /api/v1/redrive was denied (401 token-wrong). If no program of yours sends this, restrict who reaches the worker; GET /api/v1/changes counts such requests (999 similar lines suppressed)");
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

    private static (long Stored, long DeadLetters) RouteTotals(IMessageWorker worker) => (worker.GetTotals("archive").Stored, worker.GetTotals("archive").DeadLetters);

    private static DefaultHttpContext RequestFrom(string address)
    {
        DefaultHttpContext context = new() { Request = { Method = "POST" } };
        context.Connection.RemoteIpAddress = IPAddress.Parse(address);
        context.SetEndpoint(new RouteEndpoint(_ => Task.CompletedTask, RoutePatternFactory.Parse("/api/v1/redrive"), order: 0, metadata: null, displayName: null));
        return context;
    }

    private sealed class NoSinks : IRouteControl, IWorkerStatus
    {
        public bool IsStopping => false;

        public IReadOnlyList<RouteStatus> GetRoutes() => [];

        public RoutePause Pause(string route, string by, string? note, bool keep) => throw new NotSupportedException();

        public bool Resume(string route, string by) => throw new NotSupportedException();

        public Task<SinkProbe> ProbeSinkAsync(string route, CancellationToken cancellationToken) => throw new NotSupportedException("It has none.");

        public void CountDeadLetters(string route) => throw new NotSupportedException();
    }

    private static Task<HttpResponseMessage> TryPostAsync(ApiHost host) =>
        host.Client.PostAsync("/messages", new StringContent(ApiHost.Body("b"), Encoding.UTF8, "application/json"));
}
