using System.Text;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sources.Channels;

namespace Messaging.Tests.Handlers;

/// <summary>A whole route, "orders", from the in-memory channel to a test's handler. Its clock moves only when the test moves it.</summary>
internal sealed class HandlerRoute : IAsyncDisposable
{
    private readonly ServiceProvider _services;

    private HandlerRoute(ServiceProvider services, ManualTimeProvider time, RecordingLog log, MemoryDeadLetters deadLetters)
    {
        _services = services;
        Time = time;
        Log = log;
        DeadLetters = deadLetters;
        WorkerPlan plan = services.GetRequiredService<WorkerPlan>();
        plan.Errors.ShouldBeEmpty();
        Route = new MessageRoute(plan.Routes.ShouldHaveSingleItem(), services, deadLetters, log, time);
    }

    public ManualTimeProvider Time { get; }

    public RecordingLog Log { get; }

    public MemoryDeadLetters DeadLetters { get; }

    public MessageRoute Route { get; }

    public ChannelPublisher Publisher => _services.GetRequiredService<ChannelPublishers>().For("orders");

    /// <summary>Creates the route, runs its check and starts receiving.</summary>
    /// <param name="add">Adds the handler, named "Orders".</param>
    /// <param name="settings">Further settings, such as <c>Intake:Concurrency=4</c>.</param>
    public static async Task<HandlerRoute> StartAsync(Action<IMessageWorkerBuilder> add, params string[] settings)
    {
        ManualTimeProvider time = new();
        RecordingLog log = new();
        MemoryDeadLetters deadLetters = new();
        HandlerRoute route = new(Build(add, time, log, deadLetters, settings), time, log, deadLetters);
        await route.Route.CheckAsync(CancellationToken.None);
        route.Route.Start();
        return route;
    }

    /// <summary>Only plans the configuration.</summary>
    public static WorkerPlan Plan(Action<IMessageWorkerBuilder> add, params string[] settings)
    {
        MessageWorkerBuilder worker = new(new ServiceCollection());
        add(worker);
        return new WorkerPlanner(Configure(settings), worker.Features).Plan();
    }

    public Task PublishAsync(string body, string? id = null) => Publisher.PublishAsync(Encoding.UTF8.GetBytes(body), id).AsTask();

    /// <summary>Moves the clock in steps of a tenth of a second until the condition holds.</summary>
    public Task PassUntilAsync(Func<bool> condition) => Time.PassUntilAsync(TimeSpan.FromMilliseconds(100), condition);

    /// <summary>Waits, without moving the clock, until the condition holds.</summary>
    public static Task UntilAsync(Func<bool> condition) => PassingTime.UntilAsync(condition);

    /// <summary>Moves the clock until every message is completed or dead-lettered.</summary>
    public Task SettleAllAsync() => PassUntilAsync(() => Publisher.Unsettled == 0);

    /// <summary>The log lines of an event.</summary>
    public IReadOnlyList<string> LinesOf(int eventId) => [.. Log.Entries.Where(entry => entry.Id.Id == eventId).Select(entry => entry.Text)];

    public async ValueTask DisposeAsync()
    {
        Task draining = Route.DrainAsync(new CancellationToken(canceled: true));
        await PassUntilAsync(() => draining.IsCompleted);
        await draining;
        Task disposing = Route.DisposeAsync().AsTask();
        await PassUntilAsync(() => disposing.IsCompleted);
        await disposing;
        await _services.DisposeAsync();
    }

    /// <summary>The services of a worker with the route, for tests that assemble its parts themselves.</summary>
    public static ServiceProvider Build(
        Action<IMessageWorkerBuilder> add, TimeProvider time, ILoggerFactory log, IDeadLetterStore deadLetters, params string[] settings)
    {
        ServiceCollection services = new();
        services.AddSingleton(Configure(settings));
        add(MessageWorkerHostExtensions.AddMessageWorker(services));
        services.AddSingleton(time);
        services.AddSingleton(log);
        services.AddSingleton(deadLetters);
        return services.BuildServiceProvider();
    }

    private static IConfiguration Configure(string[] settings)
    {
        string[] all = ["Routes:orders:Source=Channel", "Routes:orders:Handler=Orders", .. settings];
        return new ConfigurationBuilder().AddCommandLine([.. all.Select(setting => $"--{setting}")]).Build();
    }
}
