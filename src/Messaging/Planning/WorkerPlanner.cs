using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Configuration.EnvironmentVariables;
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

/// <summary>Reads the configuration into a plan and collects every problem. Opens and connects to nothing.</summary>
internal sealed class WorkerPlanner(IConfiguration configuration, WorkerFeatures features)
{
    private const string WebAddress = "Hosting:Url";
    private const string AspNetPrefix = "ASPNETCORE_";

    private static readonly string[] WebVariables =
        ["ASPNETCORE_URLS", "ASPNETCORE_HTTP_PORTS", "ASPNETCORE_HTTPS_PORTS", "DOTNET_URLS", "DOTNET_HTTP_PORTS", "URLS", "HTTP_PORTS", "PORT"];

    private readonly Dictionary<string, ISourceFeature> _sources = features.Sources.ToDictionary(s => s.Name, StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, IEnvelopeFeature> _envelopes = features.Envelopes.ToDictionary(e => e.Name, StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, IHandlerFeature> _handlers = features.Handlers.ToDictionary(h => h.Name, StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, ISinkFeature> _sinks = features.Sinks.ToDictionary(s => s.Name, StringComparer.OrdinalIgnoreCase);

    /// <summary>Reads the plan; it contains any problems.</summary>
    public WorkerPlan Plan()
    {
        SettingsReader settings = new(configuration, features.Sections);
        foreach (ConfigurationError error in features.Errors)
        {
            settings.Fail(error);
        }

        FindUnknownSections(settings);
        Dictionary<Type, object> process = [];
        foreach (SettingsSection section in features.Sections.All)
        {
            if (section.ReadForProcess(settings) is { } read)
            {
                process[read.GetType()] = read;
            }
        }

        BundlePlanner bundles = new(settings);

        IReadOnlyList<NamedRoute> named = NamedRoute.Read(settings);
        string[] names = [.. named.Where(route => !route.IsRemoved).Select(route => route.Name)];
        List<RoutePlan> routes = [];
        foreach (string name in names)
        {
            if (PlanRoute(settings, name, bundles) is { } route)
            {
                routes.Add(route);
            }
        }

        foreach (SettingsSection section in features.Sections.All.Where(section => section.IsPerRoute))
        {
            bool isUnused = settings.CheckUnused(section.Name, section.SettingsType!);
            if (isUnused && NameOfEnvelope(section) is { } envelope)
            {
                settings.Warn(section.Name, value: null, $"is set, and no route has the envelope {envelope} (Routes:{{name}}:Envelope).", "It has no effect.");
            }

            foreach (string name in names)
            {
                if (settings.CheckUnused(section.Name, section.SettingsType!, name) && NameOfEnvelope(section) is { } own)
                {
                    settings.Warn(
                        $"Routes:{name}:{section.Name}", value: null, $"is set, and the route does not have the envelope {own} (Routes:{name}:Envelope).",
                        "It has no effect.");
                }
            }
        }

        return new WorkerPlan(routes, settings.Effective, settings.Errors, settings.Warnings, named, process);
    }

    // A check of senders that never runs is worth a warning, unlike the settings of a sink for a later route.
    private static string? NameOfEnvelope(SettingsSection section) =>
        section.Name.StartsWith("Envelopes:", StringComparison.Ordinal) ? section.Name["Envelopes:".Length..] : null;

    private static PipelineForm FindForm(SettingsReader settings, PipelineOptions options)
    {
        string name = options.Form;
        if (!PipelineForm.TryParse(name, out PipelineForm? form))
        {
            settings.Fail("Pipeline:Form", name, $"must be one of {string.Join(", ", PipelineForm.All)}.", "There is no such form.");
            return PipelineForm.Fused;
        }

        if (!form.IsSupported)
        {
            settings.Fail(
                "Pipeline:Form", name,
                $"must be one that needs no compiler at run time: {string.Join(", ", PipelineForm.All.Where(other => other.IsSupported))}.",
                "This runtime cannot compile code at run time.");
        }

        return form;
    }

    private RoutePlan? PlanRoute(SettingsReader settings, string name, BundlePlanner bundles)
    {
        int problemsBefore = settings.Errors.Count;
        string section = $"Routes:{name}";
        RouteOptions options = ReadRoute(settings, name, section);
        FindUnknownFeatures(settings, $"{section}:");
        PipelineOptions pipeline = settings.Read<PipelineOptions>("Pipeline", name);
        PipelineForm form = FindForm(settings, pipeline);
        IReadOnlyList<RoutePart> parts =
            [.. PartSelection.Choose(settings, name, pipeline.Parts, features.Parts).Select(part => part.Configure(settings, name))];
        IntakeOptions intake = settings.Read<IntakeOptions>("Intake", name);
        RecoverabilityOptions recoverability = settings.Read<RecoverabilityOptions>("Recoverability", name);
        StagesOptions stages = settings.Read<StagesOptions>("Stages", name);

        List<SourcePlan> sourcePlans = [];
        HashSet<string> named = new(StringComparer.OrdinalIgnoreCase);
        foreach (string source in options.Source)
        {
            if (!named.Add(source))
            {
                settings.Fail($"{section}:Source", source, "must be named once.", "The route receives from each of its sources once.");
            }
            else if (Find(settings, _sources, $"{section}:Source", source, "source") is { } feature)
            {
                if (Checked(
                    settings, $"{section}:Source", feature.Name, feature, feature.Configure(settings, name), nameof(SourcePlan.Create),
                    plan => plan.Create) is { } plan)
                {
                    sourcePlans.Add(plan with { Name = feature.Name });
                }
            }
        }

        if (options.Source.Length == 0)
        {
            settings.Fail($"{section}:Source", string.Empty, $"must name at least one of {Names(_sources)}.", "The route would never receive a message.");
        }

        List<EnvelopePlan> envelopes = PlanEnvelopes(settings, name, options.Envelope);
        UnwrappingOptions unwrapping = settings.Read<UnwrappingOptions>(UnwrappingOptions.Section, name);
        IHandlerFeature? handlerFeature = Find(settings, _handlers, $"{section}:Handler", options.Handler, "handler");
        ISinkFeature? sinkFeature = FindSink(settings, $"{section}:Sink", options, handlerFeature);
        CheckKinds(settings, section, handlerFeature, sinkFeature);
        HandlerPlan? handler = handlerFeature is null
            ? null
            : Checked(
                settings, $"{section}:Handler", handlerFeature.Name, handlerFeature, handlerFeature.Configure(settings, name), nameof(HandlerPlan.Compose),
                plan => plan.Compose);
        SinkPlan? sink = sinkFeature is null
            ? null
            : Checked(
                settings, $"{section}:Sink", sinkFeature.Name, sinkFeature, sinkFeature.Configure(settings, name), nameof(SinkPlan.Create),
                plan => plan.Create);
        handler = handler is null ? null : handler with { Name = handlerFeature!.Name };
        sink = sink is null ? null : sink with { Name = sinkFeature!.Name, Kind = sinkFeature.Kind, KeepsProperties = sinkFeature.KeepsProperties };
        BundlesOptions bundling = bundles.Read(name);
        RouteRules.Check(settings, name, sourcePlans, handler, sink, intake);
        RouteRules.CheckId(settings, name, envelopes, handler);
        RouteRules.CheckNeededValues(settings, name, sourcePlans, envelopes, handler);
        if (sink is not null)
        {
            RouteRules.CheckStoredPart(settings, name, envelopes, unwrapping, bundling);
            sink = bundles.Around(name, bundling, intake, sourcePlans, handler, sink);
            RouteRules.CheckProperties(settings, name, handler, sink, _sinks.Values);
        }

        return settings.Errors.Count > problemsBefore || handler is null
            ? null
            : new RoutePlan(name, form, sourcePlans, handler, sink, intake, bundling, recoverability, stages)
            {
                Parts = parts,
                Envelopes = envelopes,
                OtherEnvelopes = options.Envelope.Length == 0 ? features.Envelopes : [],
                Unwrapping = unwrapping,
            };
    }

    private List<EnvelopePlan> PlanEnvelopes(SettingsReader settings, string route, string[] names)
    {
        string key = $"Routes:{route}:Envelope";
        List<EnvelopePlan> plans = [];
        foreach (string name in names)
        {
            if (Find(settings, _envelopes, key, name, "envelope") is { } feature
                && Checked(
                    settings, key, feature.Name, feature, feature.Configure(settings, route), nameof(EnvelopePlan.Create), plan => plan.Create) is { } plan)
            {
                plans.Add(plan with { Name = feature.Name });
            }
        }

        return plans;
    }

    /// <summary>The plan of a feature; reports one that is missing or cannot be carried out.</summary>
    private static T? Checked<T>(SettingsReader settings, string key, string name, object feature, T? plan, string factory, Func<T, Delegate?> factoryOf)
        where T : class
    {
        if (plan is not null && factoryOf(plan) is not null)
        {
            return plan;
        }

        settings.Fail(key, name, plan is null
            ? $"its feature ({feature}) returned null from Configure; it must return a {typeof(T).Name}, also when it reports problems."
            : $"its feature ({feature}) returned a {typeof(T).Name} whose {factory} is null.");
        return null;
    }

    /// <returns>Null when the handler needs no sink, or when there is no such sink, which is reported.</returns>
    private ISinkFeature? FindSink(SettingsReader settings, string key, RouteOptions options, IHandlerFeature? handler)
    {
        if (handler is not { Writes: SinkKind.None })
        {
            return Find(settings, _sinks, key, options.Sink, "sink");
        }

        if (configuration[key] is { } given && !string.IsNullOrWhiteSpace(given))
        {
            settings.Fail(key, given, $"must be left out: the handler {handler.Name} writes to no sink.", "It would have no effect.");
        }

        settings.LeaveOut(key);
        return null;
    }

    private void CheckKinds(SettingsReader settings, string section, IHandlerFeature? handler, ISinkFeature? sink)
    {
        if (handler is null || sink is null || handler.Writes == sink.Kind)
        {
            return;
        }

        string fitting =
            string.Join(", ", _sinks.Values.Where(other => other.Kind == handler.Writes).Select(other => other.Name).Order(StringComparer.Ordinal));
        settings.Fail(
            $"{section}:Sink",
            sink.Name,
            $"must be a sink for the {handler.Writes.ToString().ToLowerInvariant()} of the handler {handler.Name}: {fitting}.",
            $"The sink {sink.Name} stores {sink.Kind.ToString().ToLowerInvariant()}.");
    }

    private static RouteOptions ReadRoute(SettingsReader settings, string name, string section)
    {
        if (!NamedRoute.IsName(name))
        {
            settings.Fail(section, name, $"a route's name must be {NamedRoute.AllowedName}.");
        }

        return RouteOptions.Read(settings, name);
    }

    private void FindUnknownSections(SettingsReader settings)
    {
        IReadOnlyList<string> known = features.Sections.Roots;

        // Not the environment, which holds other variables; files and the command line are only for the worker.
        foreach (IConfigurationProvider provider in ConfigurationOrigin.ProvidersOf(configuration).Where(ConfigurationOrigin.IsOurs))
        {
            foreach (string key in provider.GetChildKeys([], parentPath: null).Distinct(StringComparer.OrdinalIgnoreCase))
            {
                if (!known.Contains(key, StringComparer.OrdinalIgnoreCase))
                {
                    settings.FailUnknown(key, known);
                }
                else if (!key.Equals("Routes", StringComparison.OrdinalIgnoreCase)
                    && !IsUnchecked(key)
                    && provider.TryGet(key, out string? value)
                    && !string.IsNullOrWhiteSpace(value))
                {
                    settings.FailValue(key);
                }
            }
        }

        FindUnknownFeatures(settings, prefix: string.Empty);
        WarnOfMistypedSections(settings, known);
        WarnOfVariables(settings);
    }

    // The environment also holds variables of other programs, so an unknown section there may be theirs.
    private void WarnOfMistypedSections(SettingsReader settings, IReadOnlyList<string> known)
    {
        foreach (IConfigurationProvider provider in ConfigurationOrigin
            .ProvidersOf(configuration)
            .Where(provider => provider is EnvironmentVariablesConfigurationProvider))
        {
            foreach (string section in provider.GetChildKeys([], parentPath: null).Distinct(StringComparer.OrdinalIgnoreCase))
            {
                if (!known.Contains(section, StringComparer.OrdinalIgnoreCase)
                    && provider.GetChildKeys([], section).FirstOrDefault() is { } below
                    && NearestName.Find(section, known) is { } nearest)
                {
                    // Without its value, as for every unknown key.
                    settings.Warn(
                        $"{section}:{below}", value: null, $"is set in the environment, and {section} is not a section of the worker. Did you mean {nearest}?",
                        "It has no effect.");
                }
            }
        }
    }

    /// <summary>
    /// Warns of variables that look like settings: with one underscore for each colon, and those of ASP.NET and of platforms for the web server.
    /// </summary>
    private void WarnOfVariables(SettingsReader settings)
    {
        string[] keys = [.. features.Sections.All
            .Where(static section => section.SettingsType is not null)
            .SelectMany(section => SettingsSections.KeysOf(section).Select(key => $"{section.Name}:{key}"))];
        int? port = Uri.TryCreate(configuration[WebAddress], UriKind.Absolute, out Uri? address) ? address.Port : null;
        foreach (IConfigurationProvider provider in ConfigurationOrigin.ProvidersOf(configuration).OfType<EnvironmentVariablesConfigurationProvider>())
        {
            foreach (string name in provider.GetChildKeys([], parentPath: null).Distinct(StringComparer.OrdinalIgnoreCase))
            {
                // AWS_REGION and others are read, as every program of AWS does.
                bool isOthers = !provider.TryGet(name, out string? value) || string.IsNullOrEmpty(value) || name.StartsWith("AWS_", StringComparison.Ordinal);
                string? key = isOthers ? null
                    : name.StartsWith("Routes_", StringComparison.OrdinalIgnoreCase) ? name.Replace('_', ':')
                    : !WebVariables.Contains(name) ? Array.Find(keys, key => key.Replace(':', '_').Equals(name, StringComparison.OrdinalIgnoreCase))
                    : !keys.Contains(WebAddress) || IsReadByHost(name) || (port is { } used && value!.Contains($"{used}", StringComparison.Ordinal)) ? null
                    : WebAddress;
                if (key is not null)
                {
                    string right = key.Replace(":", "__", StringComparison.Ordinal);
                    settings.Warn(name, value: null, $"is set in the environment, and the worker does not read it. Set {right}.", "It has no effect.");
                }
            }
        }
    }

    // A host with a web server of its own has it without the prefix.
    private bool IsReadByHost(string variable) =>
        variable.StartsWith(AspNetPrefix, StringComparison.Ordinal) && configuration[variable[AspNetPrefix.Length..]] is not null;

    private bool IsUnchecked(string name) =>
        features.Sections.All.Any(section => section.SettingsType is null && string.Equals(section.Name, name, StringComparison.OrdinalIgnoreCase));

    private void FindUnknownFeatures(SettingsReader settings, string prefix)
    {
        FindUnknownFeatures(settings, prefix, "Sources", _sources.Keys);
        FindUnknownFeatures(settings, prefix, "Envelopes", _envelopes.Keys);
        FindUnknownFeatures(settings, prefix, "Handlers", _handlers.Keys);
        FindUnknownFeatures(settings, prefix, "Sinks", _sinks.Keys);
    }

    private void FindUnknownFeatures(SettingsReader settings, string prefix, string kind, IEnumerable<string> known)
    {
        string section = $"{prefix}{kind}";
        settings.FindValue(section);
        foreach (IConfigurationSection child in configuration.GetSection(section).GetChildren())
        {
            if (!known.Contains(child.Key, StringComparer.OrdinalIgnoreCase))
            {
                settings.FailUnknown(child.Path, known);
            }
            else if (!features.Sections.All.Any(declared => $"{prefix}{declared.Name}".Equals(child.Path, StringComparison.OrdinalIgnoreCase)))
            {
                // It has no settings.
                foreach (IConfigurationSection key in child.GetChildren())
                {
                    settings.FailUnknown(key.Path, []);
                }
            }
        }
    }

    private static T? Find<T>(SettingsReader settings, Dictionary<string, T> features, string key, string name, string kind)
        where T : class
    {
        if (features.TryGetValue(name, out T? feature))
        {
            return feature;
        }

        if (!settings.Configuration.GetSection(key).Exists())
        {
            string noRoute =
                settings.Configuration.GetSection("Routes").GetChildren().Any() ? string.Empty : " No route is configured, so the built-in one applies.";
            settings.Fail(
                key,
                value: null,
                features.Count > 0 ? $"must be set to one of {Names(features)}." : $"must be set, but the worker has no {kind}.",
                $"The default, {name}, is not part of this worker.{noRoute}");
            return null;
        }

        string hint = NearestName.Find(name, features.Keys) is { } nearest
            ? $" Did you mean {nearest}?"
            : " If another package has it, call that package's Add method first.";
        settings.Fail(key, name, $"there is no such {kind}; {(features.Count > 0 ? $"it must be one of {Names(features)}" : "the worker has none")}.{hint}");
        return null;
    }

    private static string Names<T>(Dictionary<string, T> features) => string.Join(", ", features.Keys.Order(StringComparer.Ordinal));
}
