using System.Diagnostics;
using Messaging.Tests.Telemetry;
using Quayside.Messaging.Http.Sending;
using Quayside.Messaging.Publishing;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Http.Source;

/// <summary>Trace contexts in requests, as the source reads them and the sender writes them.</summary>
[Collection(SpanCollection.Name)]
public sealed class HttpTraceTests
{
    [Theory]
    [InlineData("application/json", "{}")]
    [InlineData("application/x-ndjson", "{}\n{}\n")]
    public async Task Post_TraceParent_IsTheCreationContextOfEachMessage(string type, string body)
    {
        using SpanRecorder spans = new();
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        ActivityContext caller = SpanRecorder.NewContext();
        List<ActivityContext> contexts = Collect(host);

        using HttpRequestMessage request = Request(type, body, SpanRecorder.TraceParent(caller));
        request.Headers.Add("tracestate", "vendor=1");
        using HttpResponseMessage response = await host.Client.SendAsync(request);

        contexts.Count.ShouldBe(body.Split('\n').Count(line => line.Length > 0));
        contexts.ShouldAllBe(context => context.TraceId == caller.TraceId && context.SpanId == caller.SpanId && context.TraceState == "vendor=1");
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_MalformedTraceParent_IsIgnoredAndClearedOnReuse()
    {
        using SpanRecorder spans = new();
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        List<ActivityContext> contexts = Collect(host);

        foreach (string? parent in (string?[])[SpanRecorder.TraceParent(SpanRecorder.NewContext()), "00-nonsense", new string('0', 4_000), null])
        {
            using HttpRequestMessage request = Request("application/json", "{}", parent);
            using HttpResponseMessage response = await host.Client.SendAsync(request);
            response.EnsureSuccessStatusCode();
        }

        contexts.Select(context => context == default).ShouldBe([false, true, true, true]);
        await host.FinishAsync();
    }

    [Theory]
    [InlineData("http://worker:8080/messages/orders", "orders")]
    [InlineData("http://worker:8080/messages/a%20b", "a b")]
    [InlineData("http://worker:8080/messages", "worker:8080")]
    public async Task Send_InASpan_TheRequestCarriesItsContext(string address, string destination)
    {
        string?[] seen = [];
        ScriptedHeaders server = new(request => seen = [Header(request, "traceparent"), Header(request, "tracestate")]);
        using HttpSender sender = new(new Uri(address), server, TimeProvider.System, _ => { });
        using Activity span = new Activity("order").SetIdFormat(ActivityIdFormat.W3C).Start();
        span.TraceStateString = "vendor=1";

        await sender.SendAsync([new OutgoingMessage("m", "{}"u8.ToArray())], CancellationToken.None);

        seen.ShouldBe([span.Id, "vendor=1"]);
        sender.Destination.ShouldBe(new("http", destination));
    }

    private static string? Header(HttpRequestMessage request, string name) =>
        request.Headers.TryGetValues(name, out IEnumerable<string>? values) ? values.Single() : null;

    private static List<ActivityContext> Collect(HttpSourceHost host)
    {
        List<ActivityContext> contexts = [];
        host.Intake.Script = delivery =>
        {
            lock (contexts)
            {
                contexts.Add(delivery.Message.CreationContext);
            }

            return Settlement.Complete;
        };
        return contexts;
    }

    private static HttpRequestMessage Request(string type, string body, string? traceParent)
    {
        HttpRequestMessage request = new(HttpMethod.Post, "/messages") { Content = new StringContent(body, System.Text.Encoding.UTF8, type) };
        if (traceParent is not null)
        {
            request.Headers.TryAddWithoutValidation("traceparent", traceParent);
        }

        return request;
    }

    private sealed class ScriptedHeaders(Action<HttpRequestMessage> seen) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            seen(request);
            return Task.FromResult(ScriptedHandler.Stored("m"));
        }
    }
}
