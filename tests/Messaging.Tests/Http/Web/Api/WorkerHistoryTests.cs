using System.Text.Json;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Console.Api;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
using Quayside.Messaging.Http.Web.Metrics;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;

namespace Messaging.Tests.Http.Web.Api;

public sealed class WorkerHistoryTests : IWorkerStatus, IDisposable
{
    private readonly ManualTimeProvider _time = new();
    private readonly HttpResponses _responses;
    private RouteTotals _totals;

    public WorkerHistoryTests() => _responses = new HttpResponses(_time, NullLogger<HttpResponses>.Instance);

    // Its meter would hide the counts of other tests of this process.
    public void Dispose() => _responses.Dispose();

    public bool IsStopping => false;

    IReadOnlyList<RouteStatus> IWorkerStatus.GetRoutes() => [Status(_totals)];

    /// <summary>A route whose breaker is open, with three messages in flight.</summary>
    internal static RouteStatus Status(RouteTotals totals) => new()
    {
        Name = "archive",
        Sources = ["http"],
        Handler = "Archive",
        Form = "Fused",
        IsReceiving = true,
        IsStuck = false,
        Breaker = BreakerState.Open,
        BreakerSince = default,
        Slots = 64,
        Limit = 64,
        InFlight = 3,
        Held = 0,
        BytesInFlight = 0,
        OldestAge = TimeSpan.FromSeconds(2),
        HasSink = true,
        Calls = new ApiCalls(),
        Totals = totals,
    };

    [Fact]
    public void Write_HasTheIncreaseOfEachStep()
    {
        using MetricStore metrics = new(_time, [], NullLogger<MetricStore>.Instance);
        using WorkerHistory history = new(this, metrics, _responses, _time);
        for (int i = 0; i < 4; i++)
        {
            foreach (string? refused in (string?[])(i == 1 ? ["archive", "archive", null] : []))
            {
                _responses.Add(new HttpAnswer(refused, 503, "paused"));
            }

            _responses.Add(new HttpAnswer("archive", 200, HttpResponses.Stored));
            _totals = new RouteTotals(Received: i * i, Stored: i, Duplicates: 0, Returned: 0, DeadLetters: 0);
            _time.Advance(WorkerHistory.Step);
        }

        JsonElement route = Read(history).GetProperty("routes").GetProperty("archive");

        Numbers(route, "refused").ShouldBe([0, 2, 0, 0]);
        Numbers(Read(history), "refused").ShouldBe([0, 1, 0, 0]);
        Numbers(route, "received").ShouldBe([0, 1, 3, 5]);
        Numbers(route, "done").ShouldBe([0, 1, 1, 1]);
        Numbers(route, "inFlight").ShouldBe([3, 3, 3, 3]);
        Numbers(route, "oldestAgeSeconds").ShouldBe([2, 2, 2, 2]);
        Numbers(route, "breaker").ShouldBe([2, 2, 2, 2]);
        route.GetProperty("p50").EnumerateArray().Select(value => value.ValueKind).ShouldBe(Enumerable.Repeat(JsonValueKind.Null, 4));
    }

    [Fact]
    public void Write_AfterAnHour_HasFifteenMinutes()
    {
        using MetricStore metrics = new(_time, [], NullLogger<MetricStore>.Instance);
        using WorkerHistory history = new(this, metrics, _responses, _time);
        for (int i = 0; i < 720; i++)
        {
            _time.Advance(WorkerHistory.Step);
        }

        JsonElement json = Read(history);

        json.GetProperty("runtime").GetProperty("cpuSeconds").GetArrayLength().ShouldBe(180);
        json.GetProperty("end").GetDateTimeOffset().ShouldBe(_time.GetUtcNow());
    }

    private static JsonElement Read(WorkerHistory history) => JsonSerializer.SerializeToElement(history.Read(), ApiJson.Readable.HistoryState);

    private static double[] Numbers(JsonElement route, string name) => [.. route.GetProperty(name).EnumerateArray().Select(value => value.GetDouble())];
}
