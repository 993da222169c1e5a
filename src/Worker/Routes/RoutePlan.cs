using Pipeline.Building;
using Pipeline.Contexts;
using Pipeline.Execution;
using Worker.Costs;
using Worker.Handlers;
using Worker.Intake;
using Worker.Recoverability;
using Worker.Sinks;
using Worker.Stages;

namespace Worker.Routes;

/// <summary>One route as configured and checked; nothing is opened yet.</summary>
internal sealed record RoutePlan(
    string Name,
    PipelineForm Form,
    IReadOnlyList<SourcePlan> Sources,
    Action<PipelineBuilder<PhysicalContext>, HandlerServices> Handler,
    Func<SinkServices, ISink> Sink,
    IntakeOptions Intake,
    RecoverabilityOptions Recoverability,
    StagesOptions Stages,
    CostOptions Costs,
    bool KeepsDeadLetters = false);
