using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Intake;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sinks.Bundles;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Stages;
using Quayside.Messaging.Unwrapping;

namespace Quayside.Messaging.Planning;

/// <summary>The features added to a worker: sources, envelopes, handlers, sinks, parts and sections of settings. Threads: one at a time.</summary>
internal sealed class WorkerFeatures
{
    private const string Consequence = "The name would be ambiguous.";

    private static readonly string[] OwnParts = [PipelineOptions.NoParts, nameof(TracingBehavior), "RetryBehavior"];

    private static readonly string[] ReservedRoots = ["Routes", "Sources", "Envelopes", "Handlers", "Sinks"];

    private readonly List<ISourceFeature> _sources = [];
    private readonly List<IEnvelopeFeature> _envelopes = [];
    private readonly List<IHandlerFeature> _handlers = [];
    private readonly List<ISinkFeature> _sinks = [];
    private readonly List<RoutePart> _parts = [];
    private readonly List<SettingsSection> _shared = [];
    private readonly List<ConfigurationError> _errors = [];
    private SettingsSections? _sections;

    public IReadOnlyList<ISourceFeature> Sources => _sources;

    public IReadOnlyList<IEnvelopeFeature> Envelopes => _envelopes;

    public IReadOnlyList<IHandlerFeature> Handlers => _handlers;

    public IReadOnlyList<ISinkFeature> Sinks => _sinks;

    public IReadOnlyList<RoutePart> Parts => _parts;

    /// <summary>Conflicts between features, each with what to do.</summary>
    public IEnumerable<ConfigurationError> Errors => [.. _errors, .. Sections.Faults];

    /// <summary>Every section, in the order of the reference.</summary>
    public SettingsSections Sections => _sections ??= new SettingsSections(
    [
        SettingsSection.Of<PipelineOptions>("Pipeline", perRoute: true),
        RouteOptions.Settings,
        .. _sources.SelectMany(source => source.Settings),
        SettingsSection.Of<StagesOptions>("Stages", perRoute: true),
        SettingsSection.Of<UnwrappingOptions>(UnwrappingOptions.Section, perRoute: true),
        .. _envelopes.SelectMany(envelope => envelope.Settings),
        .. _handlers.SelectMany(handler => handler.Settings),
        .. _sinks.SelectMany(sink => sink.Settings),
        SettingsSection.Of<BundlesOptions>(BundlesOptions.Section, perRoute: true),
        SettingsSection.Of<DeadLettersOptions>("DeadLetters"),
        SettingsSection.Of<IntakeOptions>("Intake", perRoute: true),
        SettingsSection.Of<RecoverabilityOptions>("Recoverability", perRoute: true),
        .. _shared.Append(SettingsSection.Of<HostingOptions>(HostingOptions.Section)).OrderBy(section => section.Name, StringComparer.OrdinalIgnoreCase),
    ]);

    public void Add(ISourceFeature source) => Add(_sources, source, source.Name, "Sources", source.Settings, other => other.Name);

    public void Add(IEnvelopeFeature envelope) => Add(_envelopes, envelope, envelope.Name, "Envelopes", envelope.Settings, other => other.Name);

    public void Add(IHandlerFeature handler) => Add(_handlers, handler, handler.Name, "Handlers", handler.Settings, other => other.Name);

    public void Add(ISinkFeature sink) => Add(_sinks, sink, sink.Name, "Sinks", sink.Settings, other => other.Name);

    public void Add(RoutePart part)
    {
        const string Key = $"Pipeline:{nameof(PipelineOptions.Parts)}";
        if (!NamedRoute.IsName(part.Name) || OwnParts.Contains(part.Name, StringComparer.OrdinalIgnoreCase))
        {
            Fail(Key,
                $"'{part.Name}' cannot be the name of {part.PartType.FullName}: it must be {NamedRoute.AllowedName}, and not one of "
                    + $"{string.Join(", ", OwnParts)}. Pass another name to AddStep or AddBehavior.", consequence: null);
        }
        else if (_parts.Find(other => string.Equals(other.Name, part.Name, StringComparison.OrdinalIgnoreCase)) is { } taken)
        {
            Fail(Key, taken.PartType == part.PartType
                ? $"the part {part.Name} is added twice ({part.PartType.FullName}): remove one of the calls, or give one another name."
                : $"the part {part.Name} is added by {taken.PartType.FullName} and by {part.PartType.FullName}: give one of them another name.");
        }
        else
        {
            _parts.Add(part);
            if (part.Section is { } section)
            {
                Add(section);
            }
        }
    }

    /// <summary>Adds a section that belongs to no single feature; repeated calls have no effect.</summary>
    public void Add(SettingsSection section)
    {
        if (ReservedRoots.Contains(section.Root, StringComparer.OrdinalIgnoreCase))
        {
            Fail(section.Name,
                $"cannot be the name of a section of {section.SettingsType?.FullName ?? "its own"}: {string.Join(", ", ReservedRoots)} are reserved for routes "
                    + "and features. Use another name, or list the section in its feature's Settings.");
        }
        else if (!_shared.Exists(
            other => string.Equals(other.Name, section.Name, StringComparison.OrdinalIgnoreCase) && other.SettingsType == section.SettingsType))
        {
            _shared.Add(section);
            _sections = null;
        }
    }

    private void Add<T>(List<T> features, T feature, string name, string kind, IReadOnlyList<SettingsSection>? sections, Func<T, string> nameOf)
        where T : class
    {
        string key = $"{kind}:{name}";
        if (sections is null)
        {
            Fail(key, $"the Settings of {feature} are null: return an empty list for none.", consequence: null);
        }
        else if (!NamedRoute.IsName(name))
        {
            Fail(key, $"the name of {feature} must be {NamedRoute.AllowedName}.", consequence: null);
        }
        else if (features.Find(other => string.Equals(nameOf(other), name, StringComparison.OrdinalIgnoreCase)) is { } taken)
        {
            Fail(key, taken.GetType() == feature.GetType()
                ? $"is added twice ({feature}): remove one of the calls, or give one another name."
                : $"is added by {taken} and by {feature}: add only one of them, or give one another name.");
        }
        else if (sections.FirstOrDefault(section => !string.Equals(section.Name, key, StringComparison.OrdinalIgnoreCase)) is { } foreign)
        {
            Fail(foreign.Name, $"is listed by {feature}, whose settings belong in {key}: use that section, or add a shared one with AddSettings.",
                consequence: null);
        }
        else
        {
            features.Add(feature);
            _sections = null;
        }
    }

    private void Fail(string key, string problem, string? consequence = Consequence) =>
        _errors.Add(new ConfigurationError(key, Value: null, problem, consequence));
}
