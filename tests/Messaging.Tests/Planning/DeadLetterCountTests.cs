using System.Text;
using Messaging.Tests.Testing;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Planning;

/// <summary>A dead letter counts once, by the source or by the route: the balance of a route's counts is 0.</summary>
public sealed class DeadLetterCountTests
{
    [Theory]
    [InlineData(false, false, 1, 0)]
    [InlineData(false, true, 1, 0)]
    [InlineData(true, true, 1, 0)]
    public async Task Totals_OneDeadLetter_CountsOnce(bool keepsDeadLetters, bool countsItself, long deadLetters, long returned)
    {
        await using TestWorker worker = await StartAsync(new PlantedFeature(keepsDeadLetters, metrics =>
        {
            if (countsItself)
            {
                metrics.DeadLetterWritten("malformed-json");
            }
        }));

        Totals(worker).ShouldBe(new RouteTotals(Received: 1, Stored: 0, Duplicates: 0, returned, deadLetters));
    }

    [Theory]
    [InlineData(false, 1, 0)]
    [InlineData(true, 0, 1)]
    public async Task Totals_DeadLetterNotWritten_CountsOnce(bool keepsDeadLetters, long deadLetters, long returned)
    {
        await using TestWorker worker = await StartAsync(new PlantedFeature(keepsDeadLetters, static metrics => metrics.MessageReturned()));

        Totals(worker).ShouldBe(new RouteTotals(Received: 1, Stored: 0, Duplicates: 0, returned, deadLetters));
    }

    private static RouteTotals Totals(TestWorker worker) => worker.Services.GetRequiredService<IMessageWorker>().GetTotals("orders");

    private static async Task<TestWorker> StartAsync(PlantedFeature feature)
    {
        TestWorker worker = await TestWorker.StartAsync(
            builder =>
            {
                builder.Services.AddSingleton(new SampleTable());
                builder.AddSource(feature).AddHandler<Sample, InsertSample>("Samples", SampleJson.Default.Sample);
            },
            [new("Routes:orders:Source", "Planted"), new("Routes:orders:Handler", "Samples")]);
        await feature.Settled.WaitAsync(TimeSpan.FromSeconds(30));
        return worker;
    }

    /// <summary>Delivers one message that is no JSON, and reports its settlement to the counters as it likes.</summary>
    private sealed class PlantedFeature(bool keepsDeadLetters, Action<RouteMetrics> report) : ISourceFeature, IMessageSource
    {
        private readonly TaskCompletionSource _settled = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private RouteMetrics? _metrics;

        string ISourceFeature.Name => "Planted";

        public Task Settled => _settled.Task;

        public IReadOnlyList<SettingsSection> Settings => [];

        public SourcePlan Configure(SettingsReader settings, string route) => new()
        {
            Create = services =>
            {
                _metrics = services.Metrics;
                return this;
            },
            KeepsDeadLetters = keepsDeadLetters,
        };

        public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public async Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving)
        {
            using SlotLease slot = await intake.ReserveAsync(1, 1, stopReceiving);
            slot.Accept(new Message(() =>
            {
                report(_metrics!);
                _settled.TrySetResult();
            }));
            await Task.Delay(Timeout.Infinite, stopReceiving).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        public Task CloseAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public ValueTask DisposeAsync() => default;
    }

    private sealed class Message(Action settled) : ReceivedMessage
    {
        public override ReadOnlyMemory<byte> Body { get; } = Encoding.UTF8.GetBytes("{");

        public override ReadOnlyMemory<byte> SourceId { get; } = Encoding.UTF8.GetBytes("id");

        public override int DeliveryCount => 1;

        protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken)
        {
            settled();
            return default;
        }
    }
}
