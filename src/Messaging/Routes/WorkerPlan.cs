using Messaging.Configuration;

namespace Messaging.Routes;

/// <summary>The whole configuration, read and checked; nothing is opened. A singleton of the container of a worker. Immutable.</summary>
public sealed class WorkerPlan
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

    /// <summary>Every key that was read; secrets are masked.</summary>
    public IReadOnlyCollection<EffectiveSetting> Effective { get; }

    /// <summary>What keeps the worker from starting.</summary>
    public IReadOnlyList<ConfigurationError> Errors { get; }

    /// <summary>What is allowed and can still lose or expose something.</summary>
    public IReadOnlyList<ConfigurationError> Warnings { get; }

    /// <summary>Every route that the configuration names, and what gave it.</summary>
    public IReadOnlyList<NamedRoute> NamedRoutes { get; }

    /// <summary>The settings of the process, by the class that reads them.</summary>
    internal IReadOnlyDictionary<Type, object> Settings { get; }

    /// <summary>This plan, where it can be run.</summary>
    /// <exception cref="ConfigurationException">The configuration is wrong; carries every problem.</exception>
    public WorkerPlan Checked() => Errors.Count == 0 ? this : throw new ConfigurationException(Errors);

    /// <summary>Settings of the process.</summary>
    internal T Get<T>()
        where T : class => (T)Settings[typeof(T)];
}
