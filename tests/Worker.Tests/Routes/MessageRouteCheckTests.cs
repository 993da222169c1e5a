using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Worker.Hosting;
using Worker.Routes;
using Worker.Sinks;
using Worker.Sources;
using Worker.Tests.Sources.Contract;

namespace Worker.Tests.Routes;

/// <summary>The check at start of what is reachable and never answers.</summary>
public sealed class MessageRouteCheckTests
{
    [Fact]
    public async Task Check_NobodyAnswers_GoesOnWithAWarningForEach()
    {
        using RecordingLog log = new();
        ManualTimeProvider time = new();
        await using MessageRoute route = Create(time, log);

        Task checking = route.CheckAsync(CancellationToken.None);
        checking.IsCompleted.ShouldBeFalse();
        using CancellationTokenSource patience = new(TimeSpan.FromSeconds(30));
        while (!checking.IsCompleted)
        {
            time.Advance(TimeSpan.FromSeconds(10));
            await Task.Delay(1, patience.Token);
        }

        await checking;

        log.Entries.Where(entry => entry.Id.Id == 1005).Select(entry => entry.Text.Split(' ')[2]).ShouldBe(["mute-sink", "mute-source"]);
    }

    [Fact]
    public async Task Check_StoppedMeanwhile_Ends()
    {
        using RecordingLog log = new();
        using CancellationTokenSource stop = new();
        await using MessageRoute route = Create(new ManualTimeProvider(), log);

        Task checking = route.CheckAsync(stop.Token);
        await stop.CancelAsync();

        await Should.ThrowAsync<OperationCanceledException>(() => checking.WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken));
        log.Entries.ShouldNotContain(entry => entry.Id.Id == 1005);
    }

    private static MessageRoute Create(ManualTimeProvider time, RecordingLog log)
    {
        RoutePlan plan = WorkerHost.Plan(new ConfigurationBuilder().AddCommandLine(["--Routes:archive:Sink=Memory"]).Build()).Routes.Single();
        plan = plan with { Sink = _ => new MuteSink(), Sources = [new SourcePlan("mute", _ => new MuteSource())] };
        return new MessageRoute(plan, new ServiceCollection().BuildServiceProvider(), new MemoryDeadLetters(), log, time);
    }

    private sealed class MuteSink : IObjectSink
    {
        public string Name => "mute-sink";

        public Task CheckAsync(CancellationToken cancellationToken) => Task.Delay(Timeout.Infinite, cancellationToken);

        public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) => throw new NotSupportedException();

        public string Locate(string key) => key;

        public ValueTask DisposeAsync() => default;
    }

    private sealed class MuteSource : IMessageSource
    {
        public string Name => "mute-source";

        public Task CheckAsync(CancellationToken cancellationToken) => Task.Delay(Timeout.Infinite, cancellationToken);

        public Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving) => throw new NotSupportedException();

        public Task CloseAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public ValueTask DisposeAsync() => default;
    }
}
