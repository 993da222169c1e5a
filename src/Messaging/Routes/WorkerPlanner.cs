using System.Net;
using Messaging.Configuration;
using Messaging.Costs;
using Messaging.Handlers;
using Messaging.Hosting;
using Messaging.Intake;
using Messaging.Recoverability;
using Messaging.Sinks;
using Messaging.Sinks.Bundles;
using Messaging.Sources;
using Messaging.Stages;
using Microsoft.Extensions.Configuration;
using Pipeline.Execution;
using Worker.Hosting;

namespace Messaging.Routes;

/// <summary>Reads the configuration into a plan and collects every problem on the way. Opens and connects to nothing.</summary>
internal sealed class WorkerPlanner(
    IConfiguration configuration,
    IEnumerable<ISourceFeature> sources,
    IEnumerable<IHandlerFeature> handlers,
    IEnumerable<ISinkFeature> sinks)
{
    private static readonly string[] Sections =
        ["Pipeline", "Routes", "Sources", "Stages", "Handlers", "Sinks", "Bundles", "Intake", "Recoverability", "DeadLetters", "Aws", "Costs", "Hosting", "Logging"];

    private readonly Dictionary<string, ISourceFeature> _sources = sources.ToDictionary(s => s.Name, StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, IHandlerFeature> _handlers = handlers.ToDictionary(h => h.Name, StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, ISinkFeature> _sinks = sinks.ToDictionary(s => s.Name, StringComparer.OrdinalIgnoreCase);

    /// <summary>Plans; the result carries the problems, if any.</summary>
    public WorkerPlan Plan()
    {
        SettingsReader settings = new(configuration);
        FindUnknownSections(settings);
        HostingOptions hosting = settings.Read<HostingOptions>("Hosting");
        settings.Endpoints.Add("tcp", new IPEndPoint(hosting.Address, Math.Max(hosting.Url.Port, 0)), "the web server (Hosting:Url)");
        PipelineForm form = ReadForm(settings);
        settings.Read<DeadLetters.DeadLettersOptions>("DeadLetters");
        CostOptions costs = settings.Read<CostOptions>("Costs");
        BundlePlanner bundles = new(settings);

        IReadOnlyList<NamedRoute> named = NamedRoute.Read(settings);
        string[] names = [.. named.Where(route => !route.IsRemoved).Select(route => route.Name)];
        List<RoutePlan> routes = [];
        foreach (string name in names)
        {
            if (PlanRoute(settings, name, form, costs, bundles) is { } route)
            {
                routes.Add(route);
            }
        }

        foreach ((string section, Type type) in SettingsCatalog.All)
        {
            settings.CheckUnused(section, type);
            foreach (string name in names)
            {
                settings.CheckUnused(section, type, name);
            }
        }

        return new WorkerPlan(routes, hosting, settings.Effective, settings.Errors, settings.Warnings, named);
    }

    private static PipelineForm ReadForm(SettingsReader settings)
    {
        string name = settings.Read<PipelineOptions>("Pipeline").Form;
        if (!PipelineForm.TryParse(name, out PipelineForm? form))
        {
            settings.Fail("Pipeline:Form", name, $"must be one of {string.Join(", ", PipelineForm.All)}.", "There is no such way to execute the chain.");
            return PipelineForm.Fused;
        }

        if (!form.IsSupported)
        {
            settings.Fail("Pipeline:Form", name, $"must be one that needs no compiler at run time: {string.Join(", ", PipelineForm.All.Where(other => other.IsSupported))}.", "This runtime does not allow code to be compiled at start.");
        }

        return form;
    }

    private RoutePlan? PlanRoute(SettingsReader settings, string name, PipelineForm form, CostOptions costs, BundlePlanner bundles)
    {
        int problemsBefore = settings.Errors.Count;
        string section = $"Routes:{name}";
        RouteOptions options = ReadRoute(settings, name, section);
        FindUnknownFeatures(settings, $"{section}:");
        IntakeOptions intake = settings.Read<IntakeOptions>("Intake", name);
        RecoverabilityOptions recoverability = settings.Read<RecoverabilityOptions>("Recoverability", name);
        StagesOptions stages = settings.Read<StagesOptions>("Stages", name);

        List<SourcePlan> sourcePlans = [];
        foreach (string source in options.Source.Distinct(StringComparer.OrdinalIgnoreCase))
        {
            if (Find(settings, _sources, $"{section}:Source", source, "source") is { } feature)
            {
                sourcePlans.Add(feature.Configure(settings, name) with { Name = feature.Name });
            }
        }

        if (options.Source.Length == 0)
        {
            settings.Fail($"{section}:Source", string.Empty, $"must name at least one of {Names(_sources)}.", "The route would never receive a message.");
        }

        IHandlerFeature? handlerFeature = Find(settings, _handlers, $"{section}:Handler", options.Handler, "handler");
        ISinkFeature? sinkFeature = FindSink(settings, $"{section}:Sink", options, handlerFeature);
        CheckKinds(settings, section, handlerFeature, sinkFeature);
        HandlerPlan? handler = handlerFeature is null ? null : handlerFeature.Configure(settings, name) with { Name = handlerFeature.Name };
        SinkPlan? sink = sinkFeature is null ? null : sinkFeature.Configure(settings, name) with { Name = sinkFeature.Name, Kind = sinkFeature.Kind };
        BundlesOptions bundling = bundles.Read(name);
        RouteRules.Check(settings, name, sourcePlans, handler, sink, intake);
        if (sink is not null)
        {
            sink = bundles.Around(name, bundling, intake, sourcePlans, handler, sink);
        }

        return settings.Errors.Count > problemsBefore || handler is null
            ? null
            : new RoutePlan(name, form, sourcePlans, handler, sink, intake, bundling, recoverability, stages, costs);
    }

    /// <returns>Null where the handler needs none, and where there is no such sink, which is reported.</returns>
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

        string fitting = string.Join(", ", _sinks.Values.Where(other => other.Kind == handler.Writes).Select(other => other.Name).Order(StringComparer.Ordinal));
        settings.Fail(
            $"{section}:Sink",
            sink.Name,
            $"must be one that takes the {handler.Writes.ToString().ToLowerInvariant()} of the handler {handler.Name}: {fitting}.",
            $"The sink {sink.Name} takes {sink.Kind.ToString().ToLowerInvariant()}.");
    }

    private RouteOptions ReadRoute(SettingsReader settings, string name, string section)
    {
        if (!NamedRoute.IsName(name))
        {
            settings.Fail(section, name, $"a route's name must be {NamedRoute.AllowedName}.");
        }

        return settings.Read<RouteOptions>(section, RouteOptions.Overrides);
    }

    private void FindUnknownSections(SettingsReader settings)
    {
        // The environment holds much that is not ours; files and the command line hold only what is meant for the worker.
        foreach (IConfigurationProvider provider in ConfigurationOrigin.ProvidersOf(configuration).Where(ConfigurationOrigin.IsOurs))
        {
            foreach (string key in provider.GetChildKeys([], parentPath: null).Distinct(StringComparer.OrdinalIgnoreCase))
            {
                if (!Sections.Contains(key, StringComparer.OrdinalIgnoreCase))
                {
                    settings.FailUnknown(key, Sections);
                }
                else if (!key.Equals("Routes", StringComparison.OrdinalIgnoreCase) && provider.TryGet(key, out string? value) && !string.IsNullOrWhiteSpace(value))
                {
                    settings.FailValue(key);
                }
            }
        }

        FindUnknownFeatures(settings, prefix: string.Empty);
    }

    private void FindUnknownFeatures(SettingsReader settings, string prefix)
    {
        FindUnknownFeatures(settings, $"{prefix}Sources", _sources.Keys);
        FindUnknownFeatures(settings, $"{prefix}Handlers", _handlers.Keys);
        FindUnknownFeatures(settings, $"{prefix}Sinks", _sinks.Keys);
    }

    private void FindUnknownFeatures(SettingsReader settings, string section, IEnumerable<string> known)
    {
        settings.FindValue(section);
        foreach (IConfigurationSection child in configuration.GetSection(section).GetChildren())
        {
            if (!known.Contains(child.Key, StringComparer.OrdinalIgnoreCase))
            {
                settings.FailUnknown(child.Path, known);
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

        settings.Fail(key, name, $"there is no such {kind}; it must be one of {Names(features)}.");
        return null;
    }

    private static string Names<T>(Dictionary<string, T> features) => string.Join(", ", features.Keys.Order(StringComparer.Ordinal));
}
