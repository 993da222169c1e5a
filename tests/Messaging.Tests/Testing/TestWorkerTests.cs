using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Testing;

public sealed class TestWorkerTests
{
    private readonly SampleTable _table = new();

    [Fact]
    public async Task SendAsync_ValidMessage_ReturnsItsSettlement()
    {
        await using TestWorker worker = await StartAsync();

        (await worker.SendAsync("{\"Number\":1}"u8.ToArray())).ShouldBe(Settlement.Complete);

        _table.Rows.ShouldBe(["row 1"]);
        worker.DeadLetters.Messages.ShouldBeEmpty();
    }

    [Fact]
    public async Task SendAsync_BodyThatIsNoJson_IsAmongTheDeadLetters()
    {
        await using TestWorker worker = await StartAsync();

        (await worker.SendAsync("{"u8.ToArray(), "broken")).Reason.ShouldBe("malformed-json");

        worker.DeadLetters.Messages.ShouldHaveSingleItem().ShouldSatisfyAllConditions(
            message => message.Id.ShouldBe("broken"),
            message => message.Body.ShouldBe("{"u8.ToArray()));
    }

    [Fact]
    public async Task SendAsync_Text_IsTheBody()
    {
        await using TestWorker worker = await StartAsync();

        (await worker.SendAsync("""{"Number":1}""")).ShouldBe(Settlement.Complete);
        (await worker.SendAsync("{ü", "broken")).Reason.ShouldBe("malformed-json");

        _table.Rows.ShouldBe(["row 1"]);
        worker.DeadLetters.Messages.ShouldHaveSingleItem().Body.ShouldBe("{ü"u8.ToArray());
        Should.Throw<ArgumentException>(() => { _ = worker.SendAsync("\ud800"); });
    }

    [Fact]
    public async Task SendAsync_Message_IsWrittenAsItsHandlerReadsIt()
    {
        // With the names of System.Text.Json's defaults, the handler would read no number and refuse the message.
        await using TestWorker worker = await TestWorker.StartAsync(
            builder =>
            {
                builder.Services.AddSingleton(_table);
                builder.AddHandler<Sample, InsertSample>("Samples", StrictSampleJson.Default.Sample);
            },
            [new("Routes:orders:Handler", "Samples")]);

        (await worker.SendAsync(new Sample(7))).ShouldBe(Settlement.Complete);

        _table.Rows.ShouldBe(["row 7"]);
    }

    [Fact]
    public async Task SendAsync_MessageThatNoHandlerReads_NamesTheTypesThatAreRead()
    {
        await using TestWorker worker = await StartAsync();

        Should.Throw<InvalidOperationException>(() => { _ = worker.SendAsync(new Version(1, 2)); }).Message.ShouldContain("Messaging.Tests.Testing.Sample");
        Should.Throw<InvalidOperationException>(() => { _ = worker.SendAsync(new Memory<byte>()); }).Message.ShouldContain("Memory");
    }

    [Fact]
    public async Task SendAsync_MessageThatTwoHandlersReadDifferently_Throws()
    {
        await using TestWorker worker = await TestWorker.StartAsync(
            builder =>
            {
                builder.Services.AddSingleton(_table);
                builder
                    .AddHandler<Sample, InsertSample>("Samples", SampleJson.Default.Sample)
                    .AddHandler<Sample, InsertSample>("Others", StrictSampleJson.Default.Sample);
            },
            [new("Routes:orders:Handler", "Samples")]);

        Should.Throw<InvalidOperationException>(() => { _ = worker.SendAsync(new Sample(7)); }).Message.ShouldContain("2 handlers");
    }

    [Fact]
    public async Task SendAsync_DeadLettersCannotBeWritten_IsRedelivered()
    {
        await using TestWorker worker = await StartAsync();
        worker.DeadLetters.Fail(times: 1);

        (await worker.SendAsync("{"u8.ToArray())).Reason.ShouldBe("malformed-json");

        worker.DeadLetters.Records.ShouldHaveSingleItem().Attempts.ShouldBe(2);
    }

    [Fact]
    public async Task Send_StoreFails_IsRedeliveredByTheClockOfTheTest()
    {
        // The delay is drawn from zero up to the base: one below a millisecond would use no timer.
        ManualTimeProvider time = new();
        await using TestWorker worker = await StartAsync(
            time, KeyValuePair.Create<string, string?>("Recoverability:Attempts", "1"),
            KeyValuePair.Create<string, string?>("Recoverability:BackoffBase", "1m"), KeyValuePair.Create<string, string?>("Recoverability:BackoffCap", "1m"));
        _table.Fails = true;
        int idle = time.ArmedTimers;
        SentMessage message = worker.Send("{\"Number\":1}"u8);
        await message.WhenDelivered.WaitAsync(TimeSpan.FromSeconds(20), TestContext.Current.CancellationToken);
        message.Settlements.ShouldHaveSingleItem().Kind.ShouldBe(SettlementKind.Abandon);
        _table.Fails = false;

        await time.WaitForTimersAsync(idle + 1);
        message.WhenSettled.IsCompleted.ShouldBeFalse();
        time.Advance(TimeSpan.FromMinutes(1));

        (await worker.WhenSettledAsync(message)).ShouldBe(Settlement.Complete);
        message.Settlements.Count.ShouldBe(2);
    }

    [Fact]
    public async Task SendAsync_RouteWithASink_StoresThere()
    {
        byte[] body = """{"EventDateUtc":"2026-01-31T10:00:00Z","Product":"p","SiteKey":"s","EventName":"e","MessageId":"m"}"""u8.ToArray();
        await using TestWorker worker = await TestWorker.StartAsync(
            builder => builder.AddArchive(),
            [new("Routes:archive:Handler", "Archive"), new("Routes:archive:Sink", TestWorker.Sink), new("Recoverability:BackoffBase", "1ms")]);
        int stores = 0;
        worker.Stored.Script = _ => Interlocked.Increment(ref stores) == 1 ? new SinkResult(SinkStatus.Transient, "busy") : null;

        (await worker.SendAsync(body)).ShouldBe(Settlement.Complete);

        worker.Stored.Objects.ShouldHaveSingleItem().Value.ShouldBe(body);
        stores.ShouldBe(2);
    }

    [Fact]
    public async Task Send_UnknownRoute_NamesTheRoutes()
    {
        await using TestWorker worker = await StartAsync();

        Should.Throw<ArgumentException>(() => worker.Send("{}"u8, route: "clicks")).Message.ShouldContain("orders");
    }

    [Fact]
    public async Task StopAsync_MessageThatIsNotSettled_IsCancelled()
    {
        _table.Fails = true;
        await using TestWorker worker = await StartAsync();
        SentMessage message = worker.Send("{\"Number\":1}"u8);
        await message.WhenDelivered.WaitAsync(TimeSpan.FromSeconds(20), TestContext.Current.CancellationToken);

        await worker.StopAsync(TestContext.Current.CancellationToken);

        message.WhenSettled.IsCanceled.ShouldBeTrue();
        worker.Send("{}"u8).WhenSettled.IsCanceled.ShouldBeTrue();
    }

    [Fact]
    public async Task StartAsync_WorkersWithAWebServer_HaveAPortEach()
    {
        await using TestWorker first = await StartWithHttpAsync();
        await using TestWorker second = await StartWithHttpAsync();

        int[] ports = [PortOf(first), PortOf(second)];

        ports.Distinct().Count().ShouldBe(2);
        ports.ShouldAllBe(port => port != 8080);
    }

    [Fact]
    public async Task StartAsync_UrlGiven_IsUsed()
    {
        await using TestWorker worker = await StartWithHttpAsync(KeyValuePair.Create<string, string?>("Hosting:Url", "http://127.0.0.2:0"));

        worker.Services.GetRequiredService<IWebAddresses>().Urls.ShouldHaveSingleItem().ShouldStartWith("http://127.0.0.2:");
    }

    [Fact]
    public async Task SendAsync_HandlerAlwaysThrows_IsADeadLetterWithoutLongWaits()
    {
        RecordingDelays time = new();
        await using TestWorker worker = await TestWorker.StartAsync(
            builder => builder.AddHandler<Sample, ThrowingSample>("Samples", SampleJson.Default.Sample), [new("Routes:orders:Handler", "Samples")], time);

        time.Forget();

        Settlement settlement = await worker.SendAsync("{\"Number\":1}"u8.ToArray());

        settlement.Kind.ShouldBe(SettlementKind.DeadLetter);
        worker.DeadLetters.Records.ShouldHaveSingleItem().Attempts.ShouldBe(10);
        time.Longest.ShouldBeLessThan(TimeSpan.FromMilliseconds(100));
    }

    private static int PortOf(TestWorker worker) => new Uri(worker.Services.GetRequiredService<IWebAddresses>().Urls.ShouldHaveSingleItem()).Port;

    private Task<TestWorker> StartWithHttpAsync(params KeyValuePair<string, string?>[] configuration) => TestWorker.StartAsync(
        worker =>
        {
            worker.Services.AddSingleton(_table);
            worker.AddHttp().AddHandler<Sample, InsertSample>("Samples", SampleJson.Default.Sample);
        },
        [new("Routes:orders:Handler", "Samples"), .. configuration]);

    private sealed class ThrowingSample : IMessageHandler<Sample>
    {
        public ValueTask<Settlement> HandleAsync(Sample message, MessageInfo info, CancellationToken cancellationToken) =>
            throw new InvalidOperationException("always");
    }

    /// <summary>The system's clock; knows the longest wait of the retries and redeliveries, which have no period.</summary>
    private sealed class RecordingDelays : TimeProvider
    {
        private long _longest;

        public TimeSpan Longest => TimeSpan.FromTicks(Volatile.Read(ref _longest));

        public void Forget() => Volatile.Write(ref _longest, 0);

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            if (period == Timeout.InfiniteTimeSpan && dueTime < TimeSpan.FromSeconds(60))
            {
                Volatile.Write(ref _longest, Math.Max(_longest, dueTime.Ticks));
            }

            return base.CreateTimer(callback, state, dueTime, period);
        }
    }

    private Task<TestWorker> StartAsync(TimeProvider? time = null, params KeyValuePair<string, string?>[] configuration) => TestWorker.StartAsync(
        worker =>
        {
            worker.Services.AddSingleton(_table);
            worker.AddHandler<Sample, InsertSample>("Samples", SampleJson.Default.Sample);
        },
        [new("Routes:orders:Handler", "Samples"), .. configuration],
        time);
}
