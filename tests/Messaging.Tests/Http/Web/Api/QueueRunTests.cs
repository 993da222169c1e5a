using System.Text;
using Messaging.Tests.Planning;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting.Internal;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Console.Api;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Http.Web.Api;

/// <summary>A run over the dead-letter queue of a route, asked for over the API.</summary>
public sealed class QueueRunTests : IWorkerStatus, IRouteControl
{
    private readonly List<string> _counted = [];

    /// <summary>What the run sent or stored it still has to delete.</summary>
    [Fact]
    public async Task Dispose_WhileItRuns_WaitsForItsEnd_AfterWhichTheQueueIsCounted()
    {
        SlowQueue queue = new();
        HttpAnswers answers = new(new BufferPool());
        using RecordingLog log = new();
        ChangeLog changes = new(TimeProvider.System, log);
        using DeadLetterEndpoints letters = new(new MemoryDeadLetters(), answers, TimeProvider.System);
        RedriveEndpoints endpoints = new(
            new RedriveCatalog(FakeFeatures.Of([queue], [], [])), letters, this, this, new ConfigurationBuilder().Build(), answers,
            new ApplicationLifetime(NullLogger<ApplicationLifetime>.Instance), TimeProvider.System, NullLogger<RedriveEndpoints>.Instance);
        byte[] order = Encoding.UTF8.GetBytes("""{"queue":{"route":"orders"},"all":true}""");
        DefaultHttpContext context = new() { Request = { ContentType = "application/json", ContentLength = order.Length, Body = new MemoryStream(order) } };
        await changes.RunAsync(context, endpoints.StartAsync);
        context.Response.StatusCode.ShouldBe(StatusCodes.Status202Accepted);
        await queue.Began.Task;

        Task disposed = endpoints.DisposeAsync().AsTask();
        disposed.IsCompleted.ShouldBeFalse();
        queue.Ends.SetResult();
        await disposed;

        _counted.ShouldBe(["orders"]);
        log.Entries[^1].Text.ShouldEndWith("redrive dead letters of the queue of route orders, all: ended: 1 done, 0 left");
    }

    bool IWorkerStatus.IsStopping => false;

    IReadOnlyList<RouteStatus> IWorkerStatus.GetRoutes() => [WorkerHistoryTests.Status(default) with { Name = "orders", DeadLetterQueues = ["Slow"] }];

    void IRouteControl.CountDeadLetters(string route) => _counted.Add(route);

    RoutePause IRouteControl.Pause(string route, string by, string? note) => throw new NotSupportedException();

    bool IRouteControl.Resume(string route, string by) => throw new NotSupportedException();

    private sealed class SlowQueue : ISourceFeature, IRedriveFeature
    {
        public TaskCompletionSource Began { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public TaskCompletionSource Ends { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public string Name => "Slow";

        public IReadOnlyList<SettingsSection> Settings => [];

        public string RedriveName => "slow";

        public string RedriveDescription => "dead letters that take their time";

        public SourcePlan Configure(SettingsReader settings, string route) => throw new NotSupportedException();

        public Func<CommandServices, CancellationToken, Task<RedriveResult>> ConfigureRedrive(SettingsReader settings, RedriveRequest request) =>
            async (services, _) =>
            {
                RedriveProgress progress = new(request, 1, services.Time, services.Output);
                request.Started?.Invoke(progress);
                Began.SetResult();
                await Ends.Task;
                progress.AddFound("too-large");
                progress.AddSent();
                return progress.ToResult(ended: null);
            };
    }
}
