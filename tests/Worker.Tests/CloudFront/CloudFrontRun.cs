using System.Text;
using Messaging.CloudFront;
using Messaging.CloudFront.Documents;
using Messaging.CloudFront.Events;
using Messaging.CloudFront.Gzip;
using Messaging.Recoverability;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Buffers;
using Pipeline.Building;
using Pipeline.Contexts;
using Pipeline.Execution;
using Pipeline.Settlements;
using Worker.Tests.Intake;

namespace Worker.Tests.CloudFront;

/// <summary>The handler's whole chain in memory: takes an event, returns a settlement.</summary>
internal sealed class CloudFrontRun
{
    private readonly IPipeline<PhysicalContext> _pipeline;

    public CloudFrontRun(int maxRejected = 3, int maxBadRows = 3, TimeSpan? objectTimeout = null, TimeProvider? time = null)
    {
        Breaker = new CircuitBreaker("test", new RecoverabilityOptions { BreakerFailures = 100 }, TimeProvider.System, NullLogger.Instance);
        DocumentShape.TryCreate(IndexRun.Columns, IndexRun.TimestampField, out DocumentShape? shape, out _).ShouldBeTrue();
        CloudFrontMetrics metrics = new("test");
        RecoverabilityOptions recoverability = new() { Attempts = 3, BackoffBase = TimeSpan.FromMilliseconds(1), BackoffCap = TimeSpan.FromMilliseconds(2) };
        _pipeline = new PipelineBuilder<PhysicalContext>("test")
            .Connector(new CloudFrontConnector(new S3EventReader(["logs"], new KeyFilter(string.Empty, string.Empty)), metrics, concurrency: 4))
            .Behavior(new RetryBehavior<CloudFrontContext>(recoverability, Breaker, TimeProvider.System))
            .Terminator(new IndexTerminator(
                Objects,
                new LogIndexer(shape!, new LogLimits(new GzipLimits(64L << 20, 200), 64 * 1024, maxBadRows, DecodePercent: false), new BufferPool()),
                Sink,
                Breaker,
                new LogDeadLetterSettings(DeadLetters, "test", time ?? TimeProvider.System, metrics, maxRejected),
                objectTimeout ?? TimeSpan.FromMinutes(2),
                missingDeliveries: 3,
                NullLogger.Instance))
            .Build(PipelineForm.Fused);
    }

    public ScriptedObjects Objects { get; } = new();

    public MemoryDocuments Sink { get; } = new();

    public MemoryDeadLetters DeadLetters { get; } = new();

    public CircuitBreaker Breaker { get; }

    /// <summary>Runs a message through the chain.</summary>
    /// <returns>The settlement; throws an exception that escapes the chain.</returns>
    public async Task<Settlement> HandleAsync(string body, int delivery = 1, CancellationToken cancellationToken = default)
    {
        PhysicalContext context = new()
        {
            Message = new TestMessage { Bytes = Encoding.UTF8.GetBytes(body), Deliveries = delivery },
            CancellationToken = cancellationToken == default ? TestContext.Current.CancellationToken : cancellationToken,
        };
        try
        {
            await _pipeline.InvokeAsync(context);
        }
        finally
        {
            Objects.Open.ShouldBe(0);
            Sink.Open.ShouldBe(0);
        }

        return context.Settlement;
    }
}
