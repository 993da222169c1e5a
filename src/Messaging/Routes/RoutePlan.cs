using Messaging.Costs;
using Messaging.Handlers;
using Messaging.Intake;
using Messaging.Recoverability;
using Messaging.Sinks;
using Messaging.Stages;
using Pipeline.Building;
using Pipeline.Contexts;
using Pipeline.Execution;

namespace Messaging.Routes;

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
