using Messaging.Routes;
using Messaging.Telemetry;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Messaging.Hosting;

/// <summary>Registers the worker and its features.</summary>
internal static class MessageWorkerServices
{
    /// <summary>Adds what plans and runs routes; the features that routes may name add themselves behind it.</summary>
    public static IServiceCollection AddMessageWorker(this IServiceCollection services)
    {
        services.AddSingleton(TimeProvider.System);
        services.AddSingleton<WorkerPlanner>();
        services.AddSingleton(provider => provider.GetRequiredService<WorkerPlanner>().Plan());
        services.AddSingleton<WorkerService>();
        services.AddHostedService(provider => provider.GetRequiredService<WorkerService>());
        services.AddHostedService<OtlpExport>();

        // An instance, which the container does not dispose: the plan is made with a container of its own.
        services.AddSingleton(ShutdownSignals.Process);
        services.AddSingleton<IHostLifetime, SignalLifetime>();
        return services;
    }
}
