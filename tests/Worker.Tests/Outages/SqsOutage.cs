using Messaging.Aws.Sqs;
using Messaging.Aws.Sqs.Wire;
using Worker.Tests.Aws.Sqs;
using Worker.Tests.Aws.Sqs.Wire;

namespace Worker.Tests.Outages;

/// <summary>A route over SQS, with a queue that keeps the state of messages.</summary>
internal sealed class SqsOutage : IAsyncDisposable
{
    private static readonly TimeSpan Visibility = TimeSpan.FromSeconds(60);

    private readonly FakeQueue _service;
    private readonly WireClient _wire;

    private SqsOutage(FakeQueue service, ManualTimeProvider time, SqsSourceOptions options, int maxReceiveCount, int concurrency, string[] settings)
    {
        _service = service;
        Queue = new SimulatedQueue(service, time, maxReceiveCount);
        _wire = new WireClient(new Uri("http://queue.test"), new SqsWireOptions(), time, handler: service.CreateHandler());
        Route = new OutageRoute(
            services => new SqsMessageSource(_wire.Client, SqsQueueReference.Parse(options.Queue!)!, options, services),
            time,
            [$"--Intake:Concurrency={concurrency}", .. settings]);
    }

    public SimulatedQueue Queue { get; }

    public OutageRoute Route { get; }

    public OutageSink Sink => Route.Sink;

    /// <summary>Waits until every buffer is returned: a heartbeat may still be in flight when the drain has ended.</summary>
    public Task ShouldReturnItsBuffersAsync() =>
        Route.PassUntilAsync(() => _wire.Buffers.Outstanding == 0, TimeSpan.FromMinutes(5), "Not every rented buffer is returned.");

    public static SqsOutage Create(bool isFifo = false, TimeSpan? maxHoldTime = null, int maxReceiveCount = 10, int concurrency = 20, params string[] settings)
    {
        ManualTimeProvider time = new();
        FakeQueue service = new(time);
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
        return new SqsOutage(service, time, options, maxReceiveCount, concurrency, settings);
    }

    public async ValueTask DisposeAsync()
    {
        await Route.DisposeAsync();
        _wire.Client.Dispose();
        await _service.DisposeAsync();
    }
}
