using System.Text.Json;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
using Quayside.Messaging.Http.Web.Api;
using Quayside.Messaging.Http.Web.History;
using Quayside.Messaging.Http.Web.Metrics;
using Quayside.Messaging.Telemetry;
using Worker.Tests.Http.Web.Api;
using Worker.Tests.Telemetry;

namespace Worker.Tests.Http.Web.History;

public sealed class DayHistoryTests : IWorkerStatus, IDisposable
{
    private readonly ManualTimeProvider _time = new();
    private readonly HttpResponses _responses;
    private readonly MetricStore _metrics;
    private readonly TemporaryFolder _folder = new();
    private readonly RecordingLogger _logger = new();
    private RouteTotals _totals;

    public DayHistoryTests()
    {
        _responses = new HttpResponses(_time, NullLogger<HttpResponses>.Instance);
        _metrics = new MetricStore(_time, [], NullLogger<MetricStore>.Instance);
    }

    public bool IsStopping => false;

    private string File => Path.Combine(_folder["history"], "route-archive.history");

    public IReadOnlyList<RouteStatus> GetRoutes() => [WorkerHistoryTests.Status(_totals)];

    public void Dispose()
    {
        _responses.Dispose();
        _metrics.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public void ReadDay_AfterMinutes_HasTheFiguresOfEach()
    {
        using Run run = Start(path: null);

        Pass(3, received: 5);

        JsonElement route = RouteOf(run.History.ReadDay(steps: 60, minutes: 1));
        Numbers(route, "received").TakeLast(4).ShouldBe([0, 5, 5, 5]);
        Numbers(route, "inFlight").TakeLast(4).ShouldBe([null, 3, 3, 3]);
        Numbers(RouteOf(run.History.ReadDay(steps: 180, minutes: 2)), "received").TakeLast(3).ShouldBe([0, 5, 10]);
        run.History.ReadDay(60, 1).Storage.ShouldBe(new HistoryStorage(null, null));
    }

    [Fact]
    public void ReadDay_AfterARestart_HasTheFiguresOfBefore()
    {
        using (Run run = Start())
        {
            Pass(2, received: 7);
        }

        _time.Advance(TimeSpan.FromMinutes(1));
        using Run next = Start();
        Pass(1, received: 2);

        double?[] received = Numbers(RouteOf(next.History.ReadDay(steps: 60, minutes: 1)), "received");
        received.Sum().ShouldBe(16);
        received.TakeLast(4).ShouldBe([7, 7, 0, 2]);
        new FileInfo(File).Length.ShouldBe(92_224);
        MinuteFile.FileBytes.ShouldBe(92_224);
    }

    [Fact]
    public void Restart_WithinAMinute_AddsToThatMinute()
    {
        for (int i = 0; i < 2; i++)
        {
            using Run run = Start();
            _totals = new RouteTotals(Received: 4, Stored: 0, Duplicates: 0, Returned: 0, DeadLetters: 0);
            _time.Advance(WorkerHistory.Step);
        }

        using Run next = Start();
        Pass(1, received: 1);

        Numbers(RouteOf(next.History.ReadDay(60, 1)), "received")[^1].ShouldBe(9);
    }

    [Fact]
    public void Stop_KeepsWhatCameAfterTheLastSample()
    {
        using (Run run = Start())
        {
            _time.Advance(WorkerHistory.Step);
            _totals = new RouteTotals(Received: 4, Stored: 0, Duplicates: 0, Returned: 0, DeadLetters: 0);
            _time.Advance(WorkerHistory.Step / 2);
        }

        using Run next = Start();
        Pass(1, received: 1);

        Numbers(RouteOf(next.History.ReadDay(60, 1)), "received")[^1].ShouldBe(5);
    }

    [Fact]
    public void Folder_ThatIsBackWithOldFigures_TakesNoPlaceOfNewOnes()
    {
        using (Run run = Start())
        {
            Pass(3, received: 7);
        }

        Directory.Move(_folder["history"], _folder["old"]);
        System.IO.File.WriteAllText(_folder["history"], "not a folder");
        using Run next = Start(advance: MinuteRing.Minutes - 3);
        Pass(3, received: 1);
        System.IO.File.Delete(_folder["history"]);
        Directory.Move(_folder["old"], _folder["history"]);
        Pass(1, received: 1);

        next.History.Read().Storage.Problem.ShouldBeNull();
        Numbers(RouteOf(next.History.ReadDay(60, 1)), "received").Sum().ShouldBe(4);
    }

    /// <summary>Whatever a crash leaves of the file, the other minutes are there, and the start goes on.</summary>
    [Fact]
    public void Restart_AfterATornRecord_LosesThatMinuteOnly()
    {
        using (Run run = Start())
        {
            Pass(3, received: 7);
        }

        byte[] whole = System.IO.File.ReadAllBytes(File);
        int at = MinuteFile.HeaderBytes + ((int)((_time.GetUtcNow().ToUnixTimeSeconds() / 60 - 2) % MinuteRing.Minutes) * MinuteFile.RecordBytes);
        for (int torn = 1; torn < MinuteFile.RecordBytes; torn++)
        {
            byte[] bytes = [.. whole];
            bytes.AsSpan(at + torn - 1, 1)[0] ^= 0x5a;
            System.IO.File.WriteAllBytes(File, bytes);
            using Run next = Start();
            _time.Advance(WorkerHistory.Step);

            Numbers(RouteOf(next.History.ReadDay(60, 1)), "received").Sum().ShouldBe(14, $"byte {torn}");
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(10)]
    [InlineData(64)]
    [InlineData(100)]
    [InlineData(50_000)]
    public void Restart_AfterACutOffFile_WritesAgain(int length)
    {
        Directory.CreateDirectory(_folder["history"]);
        using (Run run = Start())
        {
            Pass(1, received: 7);
        }

        byte[] whole = System.IO.File.ReadAllBytes(File);
        System.IO.File.WriteAllBytes(File, length == 10 ? new byte[10] : whole[..length]);
        using (Run run = Start())
        {
            Pass(1, received: 3);
            run.History.ReadDay(60, 1).Storage.Problem.ShouldBeNull();
        }

        using Run next = Start();
        _time.Advance(WorkerHistory.Step);
        Numbers(RouteOf(next.History.ReadDay(60, 1)), "received")[^1].ShouldBe(3);
    }

    [Fact]
    public void Folder_ThatCannotBeWritten_IsLoggedOnce_ShownAndMadeUpFor()
    {
        System.IO.File.WriteAllText(_folder["history"], "not a folder");
        using (Run run = Start())
        {
            Pass(3, received: 7);

            _logger.Of(1230).Count().ShouldBe(1);
            run.History.ReadDay(60, 1).Storage.Problem.ShouldNotBeNull();
            Numbers(RouteOf(run.History.ReadDay(60, 1)), "received").Sum().ShouldBe(21);

            System.IO.File.Delete(_folder["history"]);
            Pass(1, received: 7);
            _logger.Of(1231).Count().ShouldBe(1);
            run.History.ReadDay(60, 1).Storage.Problem.ShouldBeNull();
        }

        using Run next = Start();
        _time.Advance(WorkerHistory.Step);
        Numbers(RouteOf(next.History.ReadDay(60, 1)), "received").Sum().ShouldBe(28);
    }

    [Fact]
    public void File_OfAnotherProgram_IsLeftAlone()
    {
        Directory.CreateDirectory(_folder["history"]);
        System.IO.File.WriteAllText(File, "notes");
        using Run run = Start();

        Pass(2, received: 1);

        System.IO.File.ReadAllText(File).ShouldBe("notes");
        run.History.Read().Storage.Problem.ShouldNotBeNull().ShouldContain("is not a history of this version");
    }

    [Fact]
    public void Folder_OfAnotherWorker_IsLeftToIt()
    {
        using Run first = Start();
        _time.Advance(WorkerHistory.Step);
        using Run second = Start();
        _time.Advance(WorkerHistory.Step);

        first.History.Read().Storage.Problem.ShouldBeNull();
        second.History.Read().Storage.Problem.ShouldNotBeNull();
    }

    [Fact]
    public void ReadDay_AfterMoreThanADay_HasTheLastDay()
    {
        using Run run = Start(path: null);

        Pass(MinuteRing.Minutes + 30, received: 1);

        Numbers(RouteOf(run.History.ReadDay(steps: 180, minutes: 8)), "received").ShouldAllBe(value => value == 8);
    }

    [Fact]
    public void SlowSink_IsLogged_AndIsSlowAfterARestart()
    {
        Run first = Start();
        Store(first, 1, minutes: 60, p99: 0.05f);
        Store(first, 61, minutes: 5, p99: 2);
        first.Day.Save();
        first.Dispose();

        _logger.Of(1232).ShouldHaveSingleItem().Text.ShouldContain("Route archive");
        using Run next = Start();
        _time.Advance(WorkerHistory.Step);
        next.History.SlowSinkOf("archive")!.Since.ShouldBe(DateTime.UnixEpoch.AddMinutes(61));
        next.History.SlowSinkOf("archive")!.UsualP99.ShouldBe(0.05);

        Store(next, 66, minutes: 3, p99: 0.05f);
        next.History.SlowSinkOf("archive").ShouldBeNull();
        _logger.Of(1233).Count().ShouldBe(1);
        _logger.Of(1232).Count().ShouldBe(1);
    }

    private static void Store(Run run, uint minute, int minutes, float p99)
    {
        float[] values = new float[MinuteRing.Width];
        (values[1], values[13]) = (1_000, p99);
        for (int i = 0; i < minutes; i++)
        {
            run.Day.Add("route-archive", minute++, values);
        }
    }

    private Run Start(string? path = "history", int advance = 0)
    {
        _time.Advance(TimeSpan.FromMinutes(advance));

        // A process begins at zero.
        _totals = default;
        DayHistory day = new(new WebOptions { HistoryPath = path is null ? null : _folder[path] }, _logger);
        return new Run(day, new WorkerHistory(this, _metrics, _responses, day, _time));
    }

    private void Pass(int minutes, long received)
    {
        for (int i = 0; i < minutes; i++)
        {
            _totals = _totals with { Received = _totals.Received + received };
            for (int step = 0; step < 12; step++)
            {
                _time.Advance(WorkerHistory.Step);
            }
        }
    }

    private static JsonElement RouteOf(HistoryState state) => JsonSerializer.SerializeToElement(state, ApiJson.Readable.HistoryState).GetProperty("routes").GetProperty("archive");

    private static double?[] Numbers(JsonElement route, string name) =>
        [.. route.GetProperty(name).EnumerateArray().Select(value => value.ValueKind == JsonValueKind.Null ? (double?)null : value.GetDouble())];

    private sealed record Run(DayHistory Day, WorkerHistory History) : IDisposable
    {
        public void Dispose()
        {
            History.Dispose();
            Day.Dispose();
        }
    }
}
