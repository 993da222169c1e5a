using Messaging.Aws;
using Messaging.Aws.Sqs;
using Messaging.Aws.Sqs.Wire;
using Worker.Tests.Aws.Sqs;
using Worker.Tests.Aws.Sqs.Wire;

namespace Worker.Tests.Outages;

/// <summary>A route over SQS, with a queue that keeps the state of messages.</summary>
internal sealed class SqsOutage : IAsyncDisposable
{
    private static readonly TimeSpan Visibility = TimeSpan.FromSeconds(60);

    // Renewals are due at half of the timeout, plus a heartbeat of a second and a margin for slow machines.
    private static readonly TimeSpan Overdue = (Visibility / 2) - TimeSpan.FromSeconds(10);

    private readonly FakeQueue _service;
    private readonly WireClient _wire;

    private SqsOutage(FakeQueue service, SqsSourceOptions options, int maxReceiveCount, int concurrency, string[] settings)
    {
        ManualTimeProvider time = new();
        _service = service;
        Queue = new SimulatedQueue(service, time, maxReceiveCount);
        _wire = new WireClient(service.Address, new SqsWireOptions(), handler: service.Open.Watch(AwsHttpHandler.Create()));
        Route = new OutageRoute(
            services => new SqsMessageSource(_wire.Client, SqsQueueReference.Parse(options.Queue!)!, options, services),
            time,
            () => service.Open.AreInProgress || (Queue.AwaitsRenewal(Overdue) && !IsStopping),
            [$"--Intake:Concurrency={concurrency}", .. settings]);
    }

    public SimulatedQueue Queue { get; }

    public OutageRoute Route { get; }

    public OutageSink Sink => Route.Sink;

    /// <summary>Waits until every buffer is returned: a heartbeat may still be in flight when the drain has ended.</summary>
    public Task ShouldReturnItsBuffersAsync() =>
        Route.PassUntilAsync(() => _wire.Buffers.Outstanding == 0, TimeSpan.FromMinutes(5), "Not every rented buffer is returned.");

    /// <summary>Set by the test once renewals may end.</summary>
    public bool IsStopping { get; set; }

    public static async Task<SqsOutage> CreateAsync(bool isFifo = false, TimeSpan? maxHoldTime = null, int maxReceiveCount = 10, int concurrency = 20, params string[] settings)
    {
        FakeQueue service = await FakeQueue.StartAsync();
        if (isFifo)
        {
            service.MakeFifo();
        }

        SqsSourceOptions options = new()
        {
            Queue = isFifo ? "orders.fifo" : "orders",
            VisibilityTimeout = Visibility,
            MaxHoldTime = maxHoldTime ?? TimeSpan.FromMinutes(15),
        };
        return new SqsOutage(service, options, maxReceiveCount, concurrency, settings);
    }

    public async ValueTask DisposeAsync()
    {
        await Route.DisposeAsync();
        _wire.Client.Dispose();
        await _service.DisposeAsync();
    }
}
