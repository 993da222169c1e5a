using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sources;
using Shared.Hosting;

namespace Messaging.Tests.Planning;

/// <summary>The close of a stopped route when a source has many messages left.</summary>
public sealed class MessageRouteCloseTests
{
    [Fact]
    public async Task Drain_OneSourceClosesSlowly_OthersHaveTheirTimeAndItsLossIsLogged()
    {
        using RecordingLog log = new();
        ManualTimeProvider time = new();
        ClosingSource slow = new(isSlow: true);
        ClosingSource quick = new(isSlow: false);
        RoutePlan plan = WorkerHost.Plan(new ConfigurationBuilder().AddCommandLine(["--Routes:archive:Sink=Memory"]).Build()).Routes.Single();
        plan = plan with { Sources = [new SourcePlan { Name = "slow", Create = _ => slow }, new SourcePlan { Name = "quick", Create = _ => quick }] };
        await using MessageRoute route = new(plan, new ServiceCollection().BuildServiceProvider(), new MemoryDeadLetters(), log, time);

        Task<bool> draining = route.DrainAsync(CancellationToken.None);
        await quick.Closed.WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);
        draining.IsCompleted.ShouldBeFalse();
        time.Advance(TimeSpan.FromSeconds(8));

        (await draining.WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken)).ShouldBeFalse();
        slow.Closed.IsCompletedSuccessfully.ShouldBeTrue("The lost messages must be logged before the process ends.");
        log.Entries.ShouldNotContain(entry => entry.Id.Id == 1004);
    }

    private sealed class ClosingSource(bool isSlow) : IMessageSource
    {
        private readonly TaskCompletionSource _closed = new(TaskCreationOptions.RunContinuationsAsynchronously);

        /// <summary>Completes when the close has dead-lettered all it can.</summary>
        public Task Closed => _closed.Task;

        public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving) => throw new NotSupportedException();

        public async Task CloseAsync(CancellationToken cancellationToken)
        {
            if (isSlow)
            {
                await Task.Delay(Timeout.Infinite, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                await Task.Delay(TimeSpan.FromMilliseconds(50), CancellationToken.None);
            }

            _closed.SetResult();
        }

        public ValueTask DisposeAsync() => default;
    }
}
