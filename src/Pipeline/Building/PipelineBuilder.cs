using Pipeline.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Execution;

namespace Quayside.Pipeline.Building;

/// <summary>
/// Collects the parts of one chain in the order they run, checks that their stages fit and composes them into a form.
/// The order is data: it may come from configuration. Parts are singletons, usually from the service container.
/// </summary>
/// <typeparam name="TRoot">The first stage's context.</typeparam>
/// <param name="name">What the printed chain and error messages call it.</param>
public sealed class PipelineBuilder<TRoot>(string name)
    where TRoot : PipelineContext
{
    private readonly List<PipelinePart> _parts = [];
    private readonly List<(Type Type, string Name)> _services = [];

    /// <summary>Adds a step to the stage of <typeparamref name="TContext"/>.</summary>
    public PipelineBuilder<TRoot> Step<TContext>(IStep<TContext> step, string? partName = null)
        where TContext : PipelineContext => Add(new StepPart<TContext>(NameOf(step, partName), step));

    /// <summary>Adds a part that wraps the rest of the chain.</summary>
    public PipelineBuilder<TRoot> Behavior<TContext>(IBehavior<TContext, TContext> behavior, string? partName = null)
        where TContext : PipelineContext => Add(new BehaviorPart<TContext, TContext>(NameOf(behavior, partName), PartKind.Behavior, behavior));

    /// <summary>Adds the part that ends the stage of <typeparamref name="TIn"/> and opens that of <typeparamref name="TOut"/>.</summary>
    public PipelineBuilder<TRoot> Connector<TIn, TOut>(IBehavior<TIn, TOut> connector, string? partName = null)
        where TIn : PipelineContext
        where TOut : PipelineContext => Add(new BehaviorPart<TIn, TOut>(NameOf(connector, partName), PartKind.Connector, connector));

    /// <summary>Adds a connector that runs the rest of the chain several times per message.</summary>
    public PipelineBuilder<TRoot> Fork<TIn, TOut>(IFork<TIn, TOut> fork, string? partName = null)
        where TIn : PipelineContext
        where TOut : PipelineContext => Add(new BehaviorPart<TIn, TOut>(NameOf(fork, partName), PartKind.Fork, fork));

    /// <summary>Adds the last part.</summary>
    public PipelineBuilder<TRoot> Terminator<TContext>(ITerminator<TContext> terminator, string? partName = null)
        where TContext : PipelineContext => Add(new TerminatorPart<TContext>(NameOf(terminator, partName), terminator));

    /// <summary>Names a service that parts call, such as a sink, so that <see cref="IPipeline{TContext}.FindPart"/> tells its exceptions from theirs.</summary>
    /// <param name="service">The service.</param>
    /// <param name="serviceName">Its name for people, such as <c>the sink s3</c>.</param>
    public PipelineBuilder<TRoot> Service(object service, string serviceName)
    {
        ArgumentNullException.ThrowIfNull(service);
        _services.Add((service.GetType(), serviceName));
        return this;
    }

    /// <summary>Checks the stages and wires the chain in the given form.</summary>
    /// <exception cref="PipelineDefinitionException">The parts do not form a chain; the message names every problem.</exception>
    /// <exception cref="PlatformNotSupportedException">The form compiles code and this runtime does not allow that.</exception>
    public IPipeline<TRoot> Build(PipelineForm form)
    {
        ArgumentNullException.ThrowIfNull(form);
        IReadOnlyList<string> problems = FindProblems();
        if (problems.Count > 0)
        {
            throw new PipelineDefinitionException(name, problems);
        }

        PipelinePart[] parts = [.. _parts];
        PartOrigin origin = new([.. _services, .. parts.Select(part => (part.Type, $"the {part.Kind.ToString().ToLowerInvariant()} {part.Name}"))]);
        return new ComposedPipeline<TRoot>(form.Compose<TRoot>(parts), name, form, parts, origin);
    }

    private static string NameOf(object part, string? partName)
    {
        ArgumentNullException.ThrowIfNull(part);
        if (partName is not null)
        {
            return partName;
        }

        string typeName = part.GetType().Name;
        int arity = typeName.IndexOf('`', StringComparison.Ordinal);
        return arity < 0 ? typeName : typeName[..arity];
    }

    private PipelineBuilder<TRoot> Add(PipelinePart part)
    {
        _parts.Add(part);
        return this;
    }

    private List<string> FindProblems()
    {
        List<string> problems = [];
        Type? stage = typeof(TRoot);
        for (int i = 0; i < _parts.Count; i++)
        {
            PipelinePart part = _parts[i];
            if (stage is null)
            {
                problems.Add($"Part {i + 1} ({part.Name}) comes after the terminator and would never run; move it before the terminator.");
            }
            else if (part.In != stage && part.In.IsAssignableFrom(stage))
            {
                // The part is written for a base of the stage's context: its position is right, but it was added under the wrong stage.
                problems.Add(
                    $"Part {i + 1} ({part.Name}) was added to the stage of {part.In.Name}, but the stage at its position is {stage.Name}, which derives from "
                        + $"it; name the stage when adding it: .Step<{stage.Name}>(...).");
                continue;
            }
            else if (part.In != stage)
            {
                problems.Add($"Part {i + 1} ({part.Name}) works on {part.In.Name}, but the stage at its position is {stage.Name}; {Advice(part, i)}.");
                if (part.Kind is PartKind.Step or PartKind.Behavior && HasStageFor(part))
                {
                    // Only its position is wrong: the parts after it are checked as if it were not there.
                    continue;
                }
            }

            // Continuing from the part's own types reports the next problem instead of repeating this one.
            stage = stage is null ? null : part.Out;
        }

        if (_parts.Count == 0 || stage is not null)
        {
            problems.Add("The last part must be a terminator: without one nothing would handle the message.");
        }

        return problems;
    }

    private string Advice(PipelinePart part, int index)
    {
        int opener = _parts.FindIndex(other => Opens(other, part));
        if (opener > index)
        {
            return $"move it after the connector {_parts[opener].Name}";
        }

        if (opener >= 0)
        {
            return $"move it up to the stage that the connector {_parts[opener].Name} opens";
        }

        return HasStageFor(part) ? "move it before the first connector" : $"add a connector that leads to {part.In.Name}";
    }

    private bool HasStageFor(PipelinePart part) => part.In == typeof(TRoot) || _parts.Exists(other => Opens(other, part));

    private static bool Opens(PipelinePart other, PipelinePart part) =>
        other.Kind is PartKind.Connector or PartKind.Fork && other.Out == part.In && !ReferenceEquals(other, part);
}

/// <summary>The parts do not form a chain. Carries every problem found, not only the first.</summary>
public sealed class PipelineDefinitionException(string pipeline, IReadOnlyList<string> problems)
    : Exception($"Pipeline '{pipeline}' cannot be composed:{Environment.NewLine}  - {string.Join($"{Environment.NewLine}  - ", problems)}")
{
    /// <summary>One sentence per problem: which part, what is wrong, what would be right.</summary>
    public IReadOnlyList<string> Problems { get; } = problems;
}
