using System.Text;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sources.Channels;
using Shared.Hosting;

namespace Messaging.Tests.Planning;

/// <summary>A stop of a whole route while its sink hangs and ignores cancellation, as a file call does.</summary>
public sealed class MessageRouteStopTests
{
    private static readonly TimeSpan WaitLimit = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task Drain_SinkHangs_MessagesThatOnlyTheWorkerHasAreDeadLettered()
    {
        const int count = 10;
        using RecordingLog log = new();
        ManualTimeProvider time = new();
        HangingSink sink = new();
        MemoryDeadLetters deadLetters = new();
        await using ServiceProvider services = new ServiceCollection().AddSingleton<ChannelPublishers>().BuildServiceProvider();
        RoutePlan plan = WorkerHost.Plan(
            new ConfigurationBuilder().AddCommandLine(["--Routes:archive:Source=Channel", "--Routes:archive:Sink=Memory"]).Build()).Routes.Single();
        plan = plan with { Sink = new SinkPlan { Name = "hanging", Create = _ => sink } };
        MessageRoute route = new(plan, services, deadLetters, log, time);
        await route.CheckAsync(CancellationToken.None);
        route.Start();
        ChannelPublisher publisher = services.GetRequiredService<ChannelPublishers>().For("archive");
        string[] bodies = [
            .. Enumerable
                .Range(0, count)
                .Select(i => $$"""{"EventDateUtc":"2026-01-31T10:20:30Z","Product":"p","SiteKey":"s","EventName":"e","MessageId":"m-{{i}}"}""")];
        foreach (string body in bodies)
        {
            await publisher.PublishAsync(Encoding.UTF8.GetBytes(body), id: null, CancellationToken.None);
        }

        await sink.WaitForAsync(count).WaitAsync(WaitLimit);
        int timers = time.ArmedTimers;
        Task<bool> draining = route.DrainAsync(new CancellationToken(canceled: true));
        await time.WaitForTimersAsync(timers + 1);
        time.Advance(TimeSpan.FromSeconds(2));

        (await draining.WaitAsync(WaitLimit)).ShouldBeFalse("The drain was cut off.");
        deadLetters.Messages.Select(letter => $"{letter.Reason} {Encoding.UTF8.GetString(letter.Body)}")
            .ShouldBe(bodies.Select(body => $"unprocessed-at-stop {body}"), ignoreOrder: true);
        log.Entries.ShouldContain(entry => entry.Id.Id == 3001);

        sink.Release();
        await route.DisposeAsync();
    }

    private sealed class HangingSink : IObjectSink
    {
        private readonly TaskCompletionSource<SinkResult> _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _storing;

        public async Task WaitForAsync(int count)
        {
            while (Volatile.Read(ref _storing) < count)
            {
                await Task.Delay(5);
            }
        }

        public void Release() => _released.SetResult(SinkResult.Stored);

        public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref _storing);
            return new ValueTask<SinkResult>(_released.Task);
        }

        public string Locate(string key) => key;

        public ValueTask DisposeAsync() => default;
    }
}
