using Messaging.Configuration;
using Messaging.Hosting;

namespace Messaging.Routes;

/// <summary>The whole configuration, read and checked.</summary>
internal sealed record WorkerPlan(
    IReadOnlyList<RoutePlan> Routes,
    HostingOptions Hosting,
    IReadOnlyCollection<EffectiveSetting> Effective,
    IReadOnlyList<ConfigurationError> Errors,
    IReadOnlyList<ConfigurationError> Warnings,
    IReadOnlyList<NamedRoute> NamedRoutes);
