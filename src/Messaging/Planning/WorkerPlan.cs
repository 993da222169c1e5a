using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Planning;

/// <summary>The whole configuration, read and checked; nothing is opened. A singleton of the container. Immutable.</summary>
internal sealed class WorkerPlan
{
    internal WorkerPlan(
        IReadOnlyList<RoutePlan> routes,
        IReadOnlyCollection<EffectiveSetting> effective,
        IReadOnlyList<ConfigurationError> errors,
        IReadOnlyList<ConfigurationError> warnings,
        IReadOnlyList<NamedRoute> namedRoutes,
        IReadOnlyDictionary<Type, object> settings)
    {
        Routes = routes;
        Effective = effective;
        Errors = errors;
        Warnings = warnings;
        NamedRoutes = namedRoutes;
        Settings = settings;
    }

    /// <summary>The routes without a problem.</summary>
    public IReadOnlyList<RoutePlan> Routes { get; }

    /// <summary>Every key that was read, with secrets masked.</summary>
    public IReadOnlyCollection<EffectiveSetting> Effective { get; }

    /// <summary>Problems that prevent the worker from starting.</summary>
    public IReadOnlyList<ConfigurationError> Errors { get; }

    /// <summary>Allowed settings that may lose or expose messages.</summary>
    public IReadOnlyList<ConfigurationError> Warnings { get; }

    /// <summary>Every route that the configuration names, with its origins.</summary>
    public IReadOnlyList<NamedRoute> NamedRoutes { get; }

    /// <summary>The settings of the process, by settings class.</summary>
    internal IReadOnlyDictionary<Type, object> Settings { get; }

    /// <summary>This plan, if it has no errors.</summary>
    /// <exception cref="ConfigurationException">The configuration is invalid; contains every problem.</exception>
    public WorkerPlan Checked() => Errors.Count == 0 ? this : throw new ConfigurationException(Errors);

    internal T Get<T>()
        where T : class => (T)Settings[typeof(T)];
}
