using Messaging.Hosting;
using Messaging.Planning;
using Messaging.Sinks;
using Messaging.Sources;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Shared.Hosting;

namespace Worker.Tests.Outages;

/// <summary>A whole route over a test's source and a sink that fails on demand. Its clock moves only when the test moves it.</summary>
internal sealed class OutageRoute : IAsyncDisposable
{
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(500);

    /// <param name="source">Creates the source.</param>
    /// <param name="time">The clock of source and route.</param>
    /// <param name="settings">The route's settings.</param>
    public OutageRoute(Func<SourceServices, IMessageSource> source, ManualTimeProvider time, params string[] settings)
    {
        Time = time;
        string[] all = ["--Routes:archive:Sink=Memory", "--Handlers:Archive:Template={MessageId}", .. settings];
        RoutePlan plan = WorkerHost.Plan(new ConfigurationBuilder().AddCommandLine(all).Build()).Routes.Single();
        plan = plan with { Sources = [new SourcePlan { Name = "source", Create = source }], Sink = new SinkPlan { Create = _ => Sink } };
        Route = new MessageRoute(plan, new ServiceCollection().BuildServiceProvider(), new MemoryDeadLetters(), Log, time);
    }

    public ManualTimeProvider Time { get; }

    public RecordingLog Log { get; } = new();

    public OutageSink Sink { get; } = new();

    public MessageRoute Route { get; }

    public async Task StartAsync()
    {
        await Route.CheckAsync(CancellationToken.None);
        Route.Start();
    }

    /// <summary>Moves the clock in steps of half a second.</summary>
    public Task PassAsync(TimeSpan time)
    {
        DateTimeOffset end = Time.GetUtcNow() + time;
        return PassUntilAsync(() => Time.GetUtcNow() >= end, time + TimeSpan.FromSeconds(1), "Time stands still.");
    }

    /// <summary>Moves the clock in steps of half a second until the condition holds.</summary>
    public async Task PassUntilAsync(Func<bool> condition, TimeSpan within, string what)
    {
        DateTimeOffset end = Time.GetUtcNow() + within;
        await Time.PassUntilAsync(Step, () => Time.GetUtcNow() > end || condition(), what);
        Time.GetUtcNow().ShouldBeLessThanOrEqualTo(end, what);
    }

    /// <summary>Stops and drains as the host does.</summary>
    /// <returns>True when the drain ended within the limit.</returns>
    public async Task<bool> DrainAsync()
    {
        Task<bool> draining = Route.DrainAsync(CancellationToken.None);
        await PassUntilAsync(() => draining.IsCompleted, TimeSpan.FromMinutes(5), "The drain did not end.");
        return await draining;
    }

    public async ValueTask DisposeAsync()
    {
        Task disposing = Route.DisposeAsync().AsTask();
        await Time.PassUntilAsync(Step, () => disposing.IsCompleted, "The route was not disposed.");
        await disposing;
    }
}
