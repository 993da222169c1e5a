using Quayside.Messaging.Hosting;
using Quayside.Messaging.Sources;

namespace Messaging.Tests.Planning;

/// <summary>Sources that block their thread: the worker needs others, and so they do not run on <see cref="OneThread"/>.</summary>
public sealed class BlockingSourceTests
{
    private static readonly TimeSpan Step = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan WaitLimit = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task Receive_BlocksItsThread_IsNotReady()
    {
        using RecordingLog log = new();
        ManualTimeProvider time = new();
        using BlockingSource source = new() { BlocksInReceive = true };
        await using MessageRoute route = SourceHealthTests.Create(time, log, source);
        route.Start();
        try
        {
            await time.PassUntilAsync(Step, () => route.Problem is not null);

            RouteStatus status = route.GetStatus();
            status.IsReady.ShouldBeFalse();
            status.IsReceiving.ShouldBeFalse();
            status.Problem.ShouldNotBeNull().ShouldContain("The source planted");
            status.Problem.ShouldContain("has not asked for a slot for 10 s");
        }
        finally
        {
            source.Released.Set();
            await route.DrainAsync(CancellationToken.None).WaitAsync(WaitLimit, TestContext.Current.CancellationToken);
        }
    }

    [Fact]
    public async Task Check_BlocksItsThread_DoesNotKeepTheWorkerFromStarting()
    {
        using RecordingLog log = new();
        ManualTimeProvider time = new();
        using BlockingSource source = new() { BlocksInCheck = true };
        await using MessageRoute route = SourceHealthTests.Create(time, log, source);
        try
        {
            Task checking = route.CheckAsync(CancellationToken.None);
            await time.PassUntilAsync(Step, () => checking.IsCompleted);
            await checking;
            log.Entries.ShouldContain(entry => entry.Id.Id == 1005);
        }
        finally
        {
            source.Released.Set();
        }
    }

    private sealed class BlockingSource : IMessageSource, IDisposable
    {
        public bool BlocksInCheck { get; init; }

        public bool BlocksInReceive { get; init; }

        public ManualResetEventSlim Released { get; } = new();

        public Task CheckAsync(CancellationToken cancellationToken) => Block(BlocksInCheck);

        public Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving) => Block(BlocksInReceive);

        public Task CloseAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public ValueTask DisposeAsync() => default;

        void IDisposable.Dispose() => Released.Dispose();

        private Task Block(bool blocks)
        {
            if (blocks)
            {
                Released.Wait(WaitLimit, CancellationToken.None);
            }

            return Task.CompletedTask;
        }
    }
}
