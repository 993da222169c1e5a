using Messaging.Configuration;
using Messaging.Handlers;
using Messaging.Sinks;
using Microsoft.Extensions.DependencyInjection;
using Pipeline.Settlements;
using Worker.Archive;

namespace Worker.Tests.Testing;

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
            time, KeyValuePair.Create<string, string?>("Recoverability:Attempts", "1"), KeyValuePair.Create<string, string?>("Recoverability:BackoffBase", "1m"), KeyValuePair.Create<string, string?>("Recoverability:BackoffCap", "1m"));
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
            builder => builder.AddArchive(), [new("Routes:archive:Handler", "Archive"), new("Routes:archive:Sink", TestWorker.Sink), new("Recoverability:BackoffBase", "1ms")]);
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
    public async Task StartAsync_WrongConfiguration_ThrowsWithEveryProblem()
    {
        ConfigurationException exception = await Should.ThrowAsync<ConfigurationException>(async () =>
            await StartAsync(time: null, KeyValuePair.Create<string, string?>("Routes:orders:Sink", "Nowhere"), KeyValuePair.Create<string, string?>("Intake:Concurency", "1")));

        exception.Message.ShouldContain("Nowhere");
        exception.Message.ShouldContain("Did you mean Concurrency?");
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

    private Task<TestWorker> StartAsync(TimeProvider? time = null, params KeyValuePair<string, string?>[] configuration) => TestWorker.StartAsync(
        worker =>
        {
            worker.Services.AddSingleton(_table);
            worker.AddHandler<Sample, InsertSample>("Samples", SampleJson.Default.Sample);
        },
        [new("Routes:orders:Handler", "Samples"), .. configuration],
        time);
}
