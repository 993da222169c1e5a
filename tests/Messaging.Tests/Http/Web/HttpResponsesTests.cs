using System.Net;
using Messaging.Tests.Http.Source;
using Messaging.Tests.Http.Web.Api;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
using Quayside.Messaging.Recoverability;

namespace Messaging.Tests.Http.Web;

/// <summary>Every answer that a caller reads is counted once, with its status and reason, wherever in the server it was made.</summary>
public sealed class HttpResponsesTests
{
    private const string Post = "POST /messages HTTP/1.1\nHost: localhost\n";

    [Fact]
    public async Task Answers_OfEveryKind_AreCountedAsTheCallersReadThem()
    {
        await using ApiHost host = await ApiHost.StartAsync("Sources:Http:MaxMessageBytes=200", "Sources:Http:MaxRequestBytes=400");
        int port = WebServerTests.PortOf(host.App);
        List<int> read = [];
        foreach ((string request, int status, string reason) in Requests())
        {
            await using RawConnection connection = await RawConnection.ConnectAsync(port, request);
            RawAnswer answer = await connection.ReadAsync();
            answer.Status.ShouldBe(status, $"{request}\n{answer.Body}");
            read.Add(status);
            await CountedAsync(host, read.Count);
            Counts(host).ShouldContain(pair => pair.Answer.Status == status && pair.Answer.Reason == reason, request);
        }

        Breaker(host).Refused("disk full");
        for (int i = 0; i < 100; i++)
        {
            await using RawConnection refused = await RawConnection.ConnectAsync(port, $"{Post}Content-Length: 2\n\n{{}}");
            read.Add((await refused.ReadAsync()).Status);
        }

        await CountedAsync(host, read.Count);
        AnswerCount[] counts = [.. Counts(host)];
        counts.GroupBy(pair => pair.Answer.Status).ToDictionary(group => group.Key, group => group.Sum(pair => pair.Count))
            .ShouldBe(read.GroupBy(status => status).ToDictionary(group => group.Key, group => (long)group.Count()), ignoreOrder: true);
        counts.Single(pair => pair.Answer.Reason == "paused").ShouldBe(new AnswerCount(new HttpAnswer("archive", 503, "paused"), 100));

        // The same in /metrics and in the API.
        await InMetricsAsync(host, "worker_http_responses_total{worker_reason=\"paused\",http_response_status_code=\"503\",worker_route=\"archive\"} 100");
        await InMetricsAsync(host, "worker_http_responses_total{worker_reason=\"headers-too-large\",http_response_status_code=\"431\"} 1");
        await CountedByApiAsync(host, read.Count);
    }

    // With a host of its own: on a busy machine any request can take longer than these limits.
    [Fact]
    public async Task Answers_ToSlowCallers_AreCounted()
    {
        await using ApiHost host = await ApiHost.StartAsync("Sources:Http:BodyTimeout=200ms", "Hosting:FirstRequestTimeout=2s");
        int port = WebServerTests.PortOf(host.App);
        await using (RawConnection body = await RawConnection.ConnectAsync(port, $"{Post}Content-Length: 10\n\nx"))
        {
            (await body.ReadAsync()).Status.ShouldBe(408);
        }

        // On a connection that had a request; a first one is closed without an answer, which worker.http.connections_closed counts.
        await using RawConnection slow = await RawConnection.ConnectAsync(port, "GET /metrics HTTP/1.1\nHost: localhost\n\n");
        await slow.ReadAsync();
        await slow.SendAsync("POST /messages HTTP/1.1\nHost");
        (await slow.ReadAsync()).Status.ShouldBe(408);

        await CountedAsync(host, 2);
        Counts(host).ShouldBe(
            [new AnswerCount(new HttpAnswer("archive", 408, "too-slow"), 1), new AnswerCount(new HttpAnswer(null, 408, "headers-too-slow"), 1)],
            ignoreOrder: true);
    }

    [Fact]
    public async Task Caller_GoneBeforeTheAnswer_IsCountedWithoutAStatus()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        RawConnection connection = await RawConnection.ConnectAsync(WebServerTests.PortOf(host.App), $"{Post}Content-Length: 200\nExpect: 100-continue\n\n");
        // The worker reads the body now. A request that an abort overtakes in the kernel never reaches it.
        await connection.ReadToAsync("100 Continue\r\n\r\n").WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);

        connection.Abort();

        await CountedAsync(host, 1);
        Counts(host).ShouldHaveSingleItem().Answer.Reason.ShouldBe(HttpResponses.NoAnswer);
    }

    [Fact]
    public async Task Pages_OfTheWorkerItself_AreNotCounted()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        foreach (string path in new[] { "/", "/metrics", "/healthz/ready", "/api/v1/stats" })
        {
            (await host.Client.GetAsync(path)).StatusCode.ShouldBe(HttpStatusCode.OK, path);
        }

        Breaker(host).Refused("disk full");
        (await host.Client.GetAsync("/healthz/ready")).StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        (await host.Client.GetAsync("/nowhere")).StatusCode.ShouldBe(HttpStatusCode.NotFound);

        await CountedAsync(host, 1);
        Counts(host).ShouldHaveSingleItem().Answer.ShouldBe(new HttpAnswer(null, 404, "unknown-path"));
    }

    [Fact]
    public void Refusals_AreLoggedWithTheirCounts()
    {
        ManualTimeProvider time = new();
        RecordingLog log = new();
        using (HttpResponses responses = new(time, new Logger<HttpResponses>(log)))
        {
            responses.Add(new HttpAnswer("orders", 200, HttpResponses.Stored));
            time.Advance(TimeSpan.FromMinutes(1));
            log.Entries.ShouldBeEmpty();

            for (int i = 0; i < 2_382; i++)
            {
                responses.Add(new HttpAnswer("orders", 503, "paused"));
            }

            time.Advance(TimeSpan.FromSeconds(1));
            log.Entries.ShouldHaveSingleItem().Text.ShouldStartWith("2382 HTTP request(s) were refused within 1 s: 503 paused (route orders) 2,382. ");

            // Once per ten seconds.
            responses.Add(new HttpAnswer(null, 404, "unknown-path"));
            time.Advance(TimeSpan.FromSeconds(9));
            responses.Add(new HttpAnswer("orders", 503, "paused"));
            log.Entries.Count.ShouldBe(1);
            time.Advance(TimeSpan.FromSeconds(1));
            log.Entries.Count.ShouldBe(2);
            log.Entries[^1].Text.ShouldContain("404 unknown-path 1");
            log.Entries[^1].Text.ShouldContain("503 paused (route orders) 1");
            responses.Add(new HttpAnswer(null, 431, "headers-too-large"));
        }

        // The last ones at the stop.
        log.Entries.Count.ShouldBe(3);
        log.Entries[^1].Text.ShouldContain("431 headers-too-large 1");
    }

    private static IEnumerable<(string Request, int Status, string Reason)> Requests()
    {
        string stored = ApiHost.Body("a");
        yield return ($"{Post}Content-Length: {stored.Length}\n\n{stored}", 200, "stored");
        yield return ($"{Post}Content-Length: {ApiHost.Poison.Length}\n\n{ApiHost.Poison}", 422, "dead-lettered");
        yield return ($"{Post}Content-Type: application/x-ndjson\nContent-Length: {stored.Length}\n\n{stored}", 200, "stored");
        yield return ($"{Post}Content-Type: application/x-ndjson\nContent-Length: 300\n\n{new string('x', 300)}", 422, "too-large");
        yield return ($"{Post}Content-Type: application/x-ndjson\nContent-Length: 500\n\n", 413, "request-too-large");
        yield return ($"{Post}Content-Length: 201\n\n", 413, "too-large");
        yield return ($"{Post}Content-Length: 0\n\n", 400, "empty-body");
        yield return ($"{Post}X-Message-Id: a b\nContent-Length: 1\n\nx", 400, "invalid-message-id");
        yield return ($"{Post}Transfer-Encoding: chunked\n\nxyz\n", 400, "bad-request");
        yield return ($"{Post}Content-Encoding: br\nContent-Length: 1\n\nx", 415, "encoded-body");
        yield return ("GET /messages HTTP/1.1\nHost: localhost\n\n", 405, "method-not-allowed");
        yield return ("POST /messages/none HTTP/1.1\nHost: localhost\nContent-Length: 1\n\nx", 404, "unknown-route");
        yield return ("POST /message HTTP/1.1\nHost: localhost\nContent-Length: 1\n\nx", 404, "unknown-path");
        yield return ("POST /metrics HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n", 405, "method-not-allowed");
        yield return ("POST /api/v1/redrive HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n", 401, "token-required");
        yield return ("POST /messages HTTP/1.1\nHost: evil.example\nContent-Length: 0\n\n", 403, "host-not-allowed");

        // What Kestrel answers itself.
        yield return ("nonsense\n\n", 400, "malformed-request");
        yield return ("POST /messages HTTP/1.1\nContent-Length: 0\n\n", 400, "malformed-request");
        yield return ($"{Post}No colon\n\n", 400, "malformed-request");
        yield return ($"{Post}Long: {new string('x', 40_000)}\n\n", 431, "headers-too-large");
        yield return ($"POST /{new string('x', 9_000)} HTTP/1.1\nHost: localhost\n\n", 414, "uri-too-long");
        yield return ("POST /messages HTTP/9.9\nHost: localhost\n\n", 505, "http-version");
    }

    private static IReadOnlyList<AnswerCount> Counts(ApiHost host) => host.App.Services.GetRequiredService<HttpResponses>().Counts;

    // An answer is counted when its request ends, which is after the caller has read it.
    private static Task CountedAsync(ApiHost host, long total) => HttpSourceHost.UntilAsync(() => Counts(host).Sum(pair => pair.Count) == total);

    // The API's statistics may be half a second old.
    private static async Task CountedByApiAsync(ApiHost host, long total)
    {
        using CancellationTokenSource limit = new(TimeSpan.FromSeconds(60));
        while ((await host.GetAsync("/api/v1/stats"))
            .GetProperty("http")
            .GetProperty("answers")
            .EnumerateArray()
            .Sum(answer => answer.GetProperty("count").GetInt64()) != total)
        {
            await Task.Delay(1, limit.Token);
        }
    }

    // The meters of a process are one: while the host of another test lives, its series of the same name may stand there.
    private static async Task InMetricsAsync(ApiHost host, string series)
    {
        using CancellationTokenSource limit = new(TimeSpan.FromSeconds(60));
        while (!(await host.Client.GetStringAsync("/metrics", limit.Token)).Contains(series, StringComparison.Ordinal))
        {
            await Task.Delay(10, limit.Token);
        }
    }

    private static CircuitBreaker Breaker(ApiHost host) => host.App.Services.GetRequiredService<WorkerService>().Routes.Single().Breaker;
}
