using Messaging.Handlers;
using Messaging.Hosting;
using Messaging.Intake;
using Messaging.Recoverability;
using Messaging.Sinks;
using Messaging.Sinks.Bundles;
using Messaging.Sources;
using Messaging.Stages;
using Pipeline.Execution;

namespace Messaging.Routes;

/// <summary>One route as configured and checked; nothing is opened yet. Its sink is null where its handler writes to none.</summary>
internal sealed record RoutePlan(
    string Name,
    PipelineForm Form,
    IReadOnlyList<SourcePlan> Sources,
    HandlerPlan Handler,
    SinkPlan? Sink,
    IntakeOptions Intake,
    BundlesOptions Bundles,
    RecoverabilityOptions Recoverability,
    StagesOptions Stages)
{
    /// <summary>Steps and behaviours that code added, in the order in which they run.</summary>
    public IReadOnlyList<RoutePart> Parts { get; init; } = [];

    /// <summary>Messages of all sources that the route works on at once.</summary>
    public int Slots => Intake.Concurrency * Sources.Count;

    /// <summary>True when a part of it writes dead letters to the folder <c>DeadLetters:Path</c>.</summary>
    public bool KeepsDeadLetters => Handler.KeepsDeadLetters || Sources.Any(source => source.KeepsDeadLetters);
}
