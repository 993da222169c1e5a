using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Intake;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sinks.Bundles;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Stages;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Execution;

namespace Quayside.Messaging.Planning;

/// <summary>One route as configured and checked; nothing is opened yet.</summary>
internal sealed record RoutePlan
{
    internal RoutePlan(
        string name,
        PipelineForm form,
        IReadOnlyList<SourcePlan> sources,
        HandlerPlan handler,
        SinkPlan? sink,
        IntakeOptions intake,
        BundlesOptions bundles,
        RecoverabilityOptions recoverability,
        StagesOptions stages)
    {
        Name = name;
        Form = form;
        Sources = sources;
        Handler = handler;
        Sink = sink;
        Intake = intake;
        Bundles = bundles;
        Recoverability = recoverability;
        Stages = stages;
    }

    /// <summary>The route's name.</summary>
    public string Name { get; }

    /// <summary>Its handler.</summary>
    public HandlerPlan Handler { get; internal init; }

    /// <summary>Largest body that it accepts, in bytes; a message with a larger one becomes a dead letter <c>too-large</c>.</summary>
    public long MaxMessageBytes => Stages.MaxMessageBytes;

    /// <summary>Bytes of bodies in flight at which a source pauses.</summary>
    public long BytesInFlight => Intake.BytesInFlight;

    /// <summary>True when messages wait for each other to be stored in one object.</summary>
    public bool IsBundled => Sink is not null && Bundles.Enabled;

    /// <summary>The most messages that one object holds.</summary>
    public int MessagesPerObject => IsBundled ? Bundles.MaxMessages : 1;

    internal PipelineForm Form { get; }

    /// <summary>Where it receives from, at least one.</summary>
    public IReadOnlyList<SourcePlan> Sources { get; internal init; }

    /// <summary>Null when its handler writes to no sink.</summary>
    public SinkPlan? Sink { get; internal init; }

    internal IntakeOptions Intake { get; init; }

    internal BundlesOptions Bundles { get; init; }

    internal RecoverabilityOptions Recoverability { get; init; }

    internal StagesOptions Stages { get; init; }

    /// <summary>What is around its messages, the outermost first.</summary>
    public IReadOnlyList<EnvelopePlan> Envelopes { get; internal init; } = [];

    /// <summary>The envelopes that the worker knows, for a route that names none; empty otherwise.</summary>
    internal IReadOnlyList<IEnvelopeFeature> OtherEnvelopes { get; init; } = [];

    internal UnwrappingOptions Unwrapping { get; init; } = new();

    /// <summary>Steps and behaviours added by code, in the order in which they run.</summary>
    internal IReadOnlyList<RoutePart> Parts { get; init; } = [];

    /// <summary>The slots of all sources.</summary>
    internal int Slots => Sources.Sum(source => SlotsOf(source).Max);

    /// <summary>True when a part of it writes dead letters to the folder <c>DeadLetters:Path</c>.</summary>
    internal bool KeepsDeadLetters => Handler.KeepsDeadLetters || Envelopes.Any(envelope => envelope.Splits) || Sources.Any(source => source.KeepsDeadLetters);

    /// <summary>Its sources, its envelopes, its handler and its sink, such as <c>Sqs -> Archive -> S3</c>.</summary>
    public string DescribeParts() =>
        $"{string.Join(", ", Sources.Select(source => source.Name))} -> {string.Concat(Envelopes.Select(envelope => $"{envelope.Name} -> "))}{Handler.Name}"
            + $"{(Sink is null ? string.Empty : $" -> {Sink.Name}")}";

    /// <summary>Writes what handler and sink say of themselves to <c>validate</c>.</summary>
    public void Describe(TextWriter output)
    {
        Handler.Describe?.Invoke(output);
        Sink?.Describe?.Invoke(output);
    }

    /// <summary>The most messages of one of its sources that may be in flight.</summary>
    public int MaxInFlight(SourcePlan source) => SlotsOf(source).Max;

    /// <summary>How many messages of one of its sources may be in flight.</summary>
    internal SlotRange SlotsOf(SourcePlan source)
    {
        int start = Math.Min(Intake.StartConcurrency, Intake.Concurrency);

        // A message that only names an object takes memory that its size does not show.
        int max = Handler.ReadsObjects ? start : Intake.Concurrency;
        if (source.IsPushed)
        {
            // Pushed messages arrive anyway, and a client may need a slot before it can abandon one.
            max = Math.Max(max, source.MaxInFlight?.Value ?? 0);
            return new SlotRange(max, max, max);
        }

        // Messages that wait for each other must be many enough to end the wait. Bundles may be filling for any number of prefixes.
        int waiting = IsBundled ? max : Math.Min(Handler.Batching?.MinSlots ?? 0, max);

        return new SlotRange(Math.Max(start, waiting), max, Math.Max(Math.Min(SlotRange.UsualMin, max), waiting));
    }

    /// <summary>Composes the route's pipeline, without its sink, and describes it: one line per part, in the order in which they run.</summary>
    /// <param name="services">The container of the worker's host; parts may be singletons of it.</param>
    /// <exception cref="StartupException">A part cannot be created.</exception>
    public string DescribeChain(IServiceProvider services) => PrintedChain.Compose(this, services).Description;
}
