using System.Text;
using Messaging.Tests.DeadLetters.Redrive;
using Messaging.Tests.Planning;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting.Internal;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Console.Api;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
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
        TaskCompletionSource began = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource ends = new(TaskCreationOptions.RunContinuationsAsynchronously);
        MemoryQueue queue = new(1)
        {
            Deleting = () =>
            {
                began.SetResult();
                return ends.Task;
            },
        };
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
        await began.Task;

        Task disposed = endpoints.DisposeAsync().AsTask();
        disposed.IsCompleted.ShouldBeFalse();
        ends.SetResult();
        await disposed;

        _counted.ShouldBe(["orders"]);
        log.Entries[^1].Text.ShouldEndWith("redrive dead letters of the queue of route orders, all: ended: 1 done, 0 left");
    }

    bool IWorkerStatus.IsStopping => false;

    IReadOnlyList<RouteStatus> IWorkerStatus.GetRoutes() => [WorkerHistoryTests.Status(default) with { Name = "orders", DeadLetterQueues = ["Memory"] }];

    void IRouteControl.CountDeadLetters(string route) => _counted.Add(route);

    RoutePause IRouteControl.Pause(string route, string by, string? note) => throw new NotSupportedException();

    bool IRouteControl.Resume(string route, string by) => throw new NotSupportedException();
}
