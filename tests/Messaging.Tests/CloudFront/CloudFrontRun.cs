using System.Text;
using Messaging.Tests.Intake;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.CloudFront;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Execution;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.CloudFront;

/// <summary>The handler's whole chain in memory: takes an event, returns a settlement.</summary>
internal sealed class CloudFrontRun
{
    private readonly IPipeline<MessageContext> _pipeline;

    public CloudFrontRun(
        int maxBadRows = 3, TimeSpan? objectTimeout = null, TimeProvider? time = null, string timestampField = IndexRun.TimestampField)
    {
        Breaker = new CircuitBreaker("test", new RecoverabilityOptions { BreakerFailures = 100 }, TimeProvider.System, NullLogger.Instance);
        RecoverabilityOptions recoverability = new() { Attempts = 3, BackoffBase = TimeSpan.FromMilliseconds(1), BackoffCap = TimeSpan.FromMilliseconds(2) };
        HandlerServices services = new()
        {
            Route = "test",
            Sink = Sink,
            Circuit = Breaker,
            Recoverability = recoverability,
            Metrics = new RouteMetrics("test"),
            Calls = new ApiCalls(),
            Services = new ServiceCollection().BuildServiceProvider(),
            DeadLetters = DeadLetters,
            Time = time ?? TimeProvider.System,
            Concurrency = 4,
            SinkName = "memory",
        };
        CloudFrontOptions options = new()
        {
            Buckets = ["logs"],
            Columns = IndexRun.Columns,
            TimestampField = timestampField,
            MaxLogBytes = 64L << 20,
            MaxBadRows = maxBadRows,
            ObjectTimeout = objectTimeout ?? TimeSpan.FromMinutes(2),
        };
        PipelineBuilder<MessageContext> builder = new("test");
        CloudFrontHandlerFeature.AddParts(builder, services, options, Objects, new BufferPool());
        _pipeline = builder.Build(PipelineForm.Fused);
    }

    public ScriptedObjects Objects { get; } = new();

    public MemoryDocuments Sink { get; } = new();

    public MemoryDeadLetters DeadLetters { get; } = new();

    public CircuitBreaker Breaker { get; }

    /// <summary>Runs a message through the chain.</summary>
    /// <returns>The settlement; throws an exception that escapes the chain.</returns>
    public async Task<Settlement> HandleAsync(string body, int delivery = 1, CancellationToken cancellationToken = default)
    {
        MessageContext context = new()
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
