using Messaging.Configuration;

namespace Messaging.Routes;

/// <summary>The whole configuration, read and checked.</summary>
/// <param name="Routes">The routes without a problem.</param>
/// <param name="Effective">Every key that was read.</param>
/// <param name="Errors">What keeps the worker from starting.</param>
/// <param name="Warnings">What is allowed and can still lose or expose something.</param>
/// <param name="NamedRoutes">Every route that the configuration names, and what gave it.</param>
/// <param name="Settings">The settings of the process, by the class that reads them.</param>
internal sealed record WorkerPlan(
    IReadOnlyList<RoutePlan> Routes,
    IReadOnlyCollection<EffectiveSetting> Effective,
    IReadOnlyList<ConfigurationError> Errors,
    IReadOnlyList<ConfigurationError> Warnings,
    IReadOnlyList<NamedRoute> NamedRoutes,
    IReadOnlyDictionary<Type, object> Settings)
{
    /// <summary>Settings of the process.</summary>
    public T Get<T>()
        where T : class => (T)Settings[typeof(T)];

    /// <summary>This plan, where it can be run.</summary>
    /// <exception cref="ConfigurationException">The configuration is wrong; carries every problem.</exception>
    public WorkerPlan Checked() => Errors.Count == 0 ? this : throw new ConfigurationException(Errors);
}
