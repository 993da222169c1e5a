using Messaging.Intake;
using Messaging.Recoverability;
using Messaging.Sources;
using Messaging.Telemetry;
using Microsoft.Extensions.Logging;
using Pipeline.Building;
using Pipeline.Contexts;
using Pipeline.Execution;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Worker.Tests.Sources.Contract;

/// <summary>The intake of a real route that stores nothing; messages that begin with <see cref="Mark"/> reach it with a body that throws.</summary>
internal sealed class UnreadableBodies : IMessageIntake, IAsyncDisposable
{
    public const string Mark = "unreadable";
    public const string Reason = "unsupported-body";

    private readonly int _slots;
    private readonly MessageIntake _intake;
    private readonly RouteMetrics _metrics = new("contract");

    public UnreadableBodies(int slots)
    {
        _slots = slots;
        ILogger log = new RecordingLog();
        RecoverabilityOptions recoverability = new();
        IPipeline<PhysicalContext> pipeline = new PipelineBuilder<PhysicalContext>("contract").Terminator(new BodyReadingTerminator()).Build(PipelineForm.Fused);
        _intake = new MessageIntake(
            "contract",
            "source",
            pipeline,
            new IntakeOptions { Concurrency = slots },
            new RecoverabilityPolicy(recoverability),
            new CircuitBreaker("contract", recoverability, TimeProvider.System, log),
            _metrics,
            TimeProvider.System,
            log);
    }

    public RouteTotals Totals => _metrics.Totals;

    public ValueTask<int> ReserveAsync(int min, int max, CancellationToken cancellationToken) => _intake.ReserveAsync(min, max, cancellationToken);

    public IntakeAnswer TryReserve() => _intake.TryReserve();

    public void Release(int slots) => _intake.Release(slots);

    public void Accept(ReceivedMessage message) => _intake.Accept(
        message.Body.Span.StartsWith("unreadable"u8)
            ? new UnreadableMessage(message, new PoisonMessageException(Reason, "The body cannot be read."))
            : message);

    /// <summary>Checks that no slot was lost.</summary>
    public async ValueTask DisposeAsync()
    {
        await _intake.DrainAsync(CancellationToken.None).WaitAsync(TimeSpan.FromSeconds(60));
        (await _intake.ReserveAsync(_slots, _slots, CancellationToken.None).AsTask().WaitAsync(TimeSpan.FromSeconds(60))).ShouldBe(_slots);
        await _intake.DisposeAsync();
    }
}
