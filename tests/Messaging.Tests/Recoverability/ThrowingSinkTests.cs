using System.Text;
using Messaging.Tests.Handlers.Typed;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Recoverability;

/// <summary>
/// However a sink fails, by a value or by an exception, the failure is the sink's: the breaker opens, the route is not ready, and no message is dead-lettered.
/// </summary>
public sealed class ThrowingSinkTests
{
    private const int Messages = 30;

    private static readonly Dictionary<string, (Func<ValueTask<SinkResult>> Store, string Failure)> Failures = new(StringComparer.Ordinal)
    {
        ["transient"] = (static () => new(new SinkResult(SinkStatus.Transient, "The sink Broken is down.")), "The sink Broken is down."),
        ["throws"] = (static () => throw new InvalidOperationException("no reply"), "The sink Broken threw InvalidOperationException: no reply"),
        ["throws late"] = (static async () =>
        {
            await Task.Yield();
            throw new InvalidOperationException("no reply");
        }, "The sink Broken threw InvalidOperationException: no reply"),
        ["its own timeout"] = (static async () =>
        {
            await Task.Yield();
            throw new TaskCanceledException("timed out");
        }, "The sink Broken threw TaskCanceledException: timed out"),
        ["transient exception"] = (static () => throw new TransientException("The sink Broken is down."), "The sink Broken is down."),
        ["refused"] = (static () => throw new ServiceRefusedException("The sink Broken denies access."), "The sink Broken denies access."),
        ["undecided"] = (
            static () => default,
            "The sink Broken returned the status Undecided, which decides nothing: "
                + "StoreAsync must return SinkResult.Stored only for a stored object, and otherwise what failed."),
        ["unknown status"] = (static () => new(new SinkResult((SinkStatus)42)), "The sink Broken returned the status 42, which decides nothing"),
    };

    private static readonly Dictionary<string, string[]> Chains = new(StringComparer.Ordinal)
    {
        ["archive"] = ["Routes:orders:Handler=Archive"],
        ["bundles"] = ["Routes:orders:Handler=Archive", "Bundles:Enabled=true", "Bundles:MaxAge=100ms"],
        ["storing handler"] = ["Routes:orders:Handler=Orders"],
    };

    public static TheoryData<string, string> Cases
    {
        get
        {
            TheoryData<string, string> cases = [];
            foreach (string failure in Failures.Keys)
            {
                foreach (string chain in Chains.Keys)
                {
                    cases.Add(failure, chain);
                }
            }

            return cases;
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Store_FailsAndThenWorks_DeadLettersNothingAndIsNotReadyMeanwhile(string failure, string chain)
    {
        Switch sink = new() { Store = Failures[failure].Store };
        await using TestWorker worker = await StartAsync(sink, Chains[chain]);

        SentMessage[] messages = [.. Enumerable.Range(0, Messages).Select(i => worker.Send(BodyOf(i)))];
        RouteStatus status = await UntilAsync(worker, static status => status.Breaker != BreakerState.Closed);
        if (status.LastFailure is { } last)
        {
            last.ShouldContain(
                chain == "bundles" && failure is "throws" or "throws late" or "its own timeout" or "transient exception" && chain == "bundles"
                    ? "A bundle could not be stored: "
                    : Failures[failure].Failure);
        }

        sink.Store = null;
        foreach (SentMessage message in messages)
        {
            (await worker.WhenSettledAsync(message)).Kind.ShouldBe(SettlementKind.Complete);
        }

        await UntilAsync(worker, static status => status.IsReady);
        worker.DeadLetters.Messages.ShouldBeEmpty();
    }

    [Fact]
    public async Task Store_Throws_IsLoggedWithItsStackOnceInTenSeconds()
    {
        Switch sink = new() { Store = Failures["throws"].Store };
        await using TestWorker worker = await StartAsync(sink, Chains["archive"]);
        SentMessage[] messages = [.. Enumerable.Range(0, Messages).Select(i => worker.Send(BodyOf(i)))];
        await UntilAsync(worker, static status => status.Breaker != BreakerState.Closed);
        sink.Store = null;
        foreach (SentMessage message in messages)
        {
            await worker.WhenSettledAsync(message);
        }

        LogEntry[] lines = [.. worker.Log.Entries.Where(entry => entry.Id.Id == 2003)];
        lines.Length.ShouldBeInRange(1, 7);
        lines[0].Text.ShouldContain("the sink Broken threw");
        lines[0].Exception.ShouldBeOfType<InvalidOperationException>();
        worker.Log.Entries.ShouldNotContain(entry => entry.Id.Id == 5007, "It is logged once, as the sink's.");
    }

    [Theory]
    [InlineData("archive", false, "too-old")]
    [InlineData("storing handler", false, "too-old")]
    [InlineData("bundles", false, "sink-rejected")]
    [InlineData("archive", true, "unhandled-exception")]
    [InlineData("storing handler", true, "unhandled-exception")]
    public async Task Store_ThrowsAnExceptionThatRejectsTheMessage_IsDeadLetteredAndTheSinkWorks(string chain, bool listed, string reason)
    {
        Switch sink = new() { Store = () => throw (listed ? new FormatException("2019") : new DeadLetterException("too-old", "2019")) };
        await using TestWorker worker = await StartAsync(sink, [.. Chains[chain], "Recoverability:DeadLetterOn=System.FormatException"]);

        Settlement settlement = await worker.SendAsync(BodyOf(1));

        settlement.Kind.ShouldBe(SettlementKind.DeadLetter);
        settlement.Reason.ShouldBe(reason);
        StatusOf(worker).IsReady.ShouldBeTrue();
    }

    private static byte[] BodyOf(int i) =>
        Encoding.UTF8.GetBytes($$"""{"id":"{{i}}","EventDateUtc":"2026-01-31T10:00:00Z","Product":"p","SiteKey":"s","EventName":"e","MessageId":"m{{i}}"}""");

    private static RouteStatus StatusOf(TestWorker worker) => worker.Services.GetRequiredService<IWorkerStatus>().GetRoutes()[0];

    private static async Task<RouteStatus> UntilAsync(TestWorker worker, Func<RouteStatus, bool> condition)
    {
        for (int i = 0; ; i++)
        {
            RouteStatus status = StatusOf(worker);
            if (condition(status))
            {
                return status;
            }

            i.ShouldBeLessThan(3_000, $"{status}");
            await Task.Delay(10, TestContext.Current.CancellationToken);
        }
    }

    private static Task<TestWorker> StartAsync(Switch sink, string[] settings) => TestWorker.StartAsync(
        worker => worker.AddSink(new SwitchFeature(sink)).AddArchive().AddStoringHandler<Order, StoreOrder>("Orders", TestJson.Default.Order),
        ((string[])[.. settings, "Routes:orders:Sink=Broken", "Recoverability:MaxDeliveries=2"]).Select(
            setting => KeyValuePair.Create(setting[..setting.IndexOf('=')], (string?)setting[(setting.IndexOf('=') + 1)..])),
        cancellationToken: TestContext.Current.CancellationToken);

    private sealed class StoreOrder(ObjectStore store) : IMessageHandler<Order>
    {
        public ValueTask<Settlement> HandleAsync(Order message, MessageInfo info, CancellationToken cancellationToken) =>
            store.StoreAsync($"orders/{message.Id}", "x"u8.ToArray(), cancellationToken);
    }

    private sealed class SwitchFeature(Switch sink) : ISinkFeature
    {
        public string Name => "Broken";

        public IReadOnlyList<SettingsSection> Settings => [];

        public SinkPlan Configure(SettingsReader settings, string route) => new() { Create = _ => sink };
    }

    /// <summary>Fails as it is told, until it is told nothing.</summary>
    private sealed class Switch : IObjectSink
    {
        private volatile Func<ValueTask<SinkResult>>? _store;

        public Func<ValueTask<SinkResult>>? Store
        {
            get => _store;
            set => _store = value;
        }

        public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
            Store?.Invoke() ?? new(SinkResult.Stored);

        public string Locate(string key) => key;

        public ValueTask DisposeAsync() => default;
    }
}
