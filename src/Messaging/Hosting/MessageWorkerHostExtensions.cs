using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Planning;

namespace Quayside.Messaging.Hosting;

/// <summary>Makes a host a message worker.</summary>
public static class MessageWorkerHostExtensions
{
    // After the drain timeout: 2 s for cancelled messages, 8 s to close the sources, 2 s for them to report lost messages. With this
    // reserve the host cancels none of it.
    private static readonly TimeSpan ShutdownReserve = TimeSpan.FromSeconds(15);

    /// <summary>
    /// Adds a worker with its features. The host's configuration is read once, when the host is built; building throws
    /// <see cref="Configuration.ConfigurationException"/> with every problem. A key that no feature declares is a problem: declare a section that
    /// other code reads with <see cref="Configuration.SettingsSection.Unchecked"/>. The worker handles SIGTERM, SIGINT, SIGQUIT and SIGHUP: the first signal
    /// stops and drains it, the second ends the drain.
    /// </summary>
    /// <param name="builder">The host's builder.</param>
    /// <param name="configure">Adds sources, handlers and sinks. Further calls add to the same worker.</param>
    public static IHostApplicationBuilder AddMessageWorker(this IHostApplicationBuilder builder, Action<IMessageWorkerBuilder> configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        configure(Find(builder.Services) ?? AddMessageWorker(builder.Services));
        return builder;
    }

    /// <summary>Adds a worker from a definition, such as one whose configuration was checked before; once per host and per definition.</summary>
    /// <param name="builder">The host's builder.</param>
    /// <param name="definition">The worker. Its services move to the host's container.</param>
    /// <exception cref="InvalidOperationException">The host has a worker already.</exception>
    internal static IHostApplicationBuilder AddMessageWorker(this IHostApplicationBuilder builder, WorkerDefinition definition)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(definition);
        if (Find(builder.Services) is not null)
        {
            throw new InvalidOperationException("The host has a worker already. Add features to it with AddMessageWorker(worker => ...).");
        }

        definition.Worker.MoveTo(builder.Services, Register);
        return builder;
    }

    private static MessageWorkerBuilder? Find(IServiceCollection services) =>
        services.FirstOrDefault(service => service.ServiceType == typeof(MessageWorkerBuilder))?.ImplementationInstance as MessageWorkerBuilder;

    /// <summary>Adds a worker with the features of the core to a container.</summary>
    internal static MessageWorkerBuilder AddMessageWorker(IServiceCollection services)
    {
        MessageWorkerBuilder worker = new(services);
        Register(worker);
        return worker;
    }

    private static void Register(MessageWorkerBuilder worker)
    {
        IServiceCollection services = worker.Services;
        services.AddSingleton(worker);
        services.AddSingleton(new ServiceLifetimes(services));
        services.TryAddSingleton(TimeProvider.System);
        services.AddSingleton(provider => new WorkerPlanner(provider.GetRequiredService<IConfiguration>(), worker.Features).Plan().Checked());
        services.AddSingleton<WorkerService>();
        services.AddSingleton<IWorkerStatus>(provider => provider.GetRequiredService<WorkerService>());
        services.AddSingleton<IMessageWorker>(provider => provider.GetRequiredService<WorkerService>());
        services.AddSingleton<IRouteControl>(provider => provider.GetRequiredService<WorkerService>());
        services.AddSingleton<RouteHealth>();
        services.AddSingleton<IRouteHealth>(provider => provider.GetRequiredService<RouteHealth>());
        services.AddHostedService(provider => provider.GetRequiredService<WorkerService>());
        services.AddSingleton(_ => new RedriveCatalog(worker.Features));
        services.AddHostedService(static provider => new SystemdNotifications(
            Environment.GetEnvironmentVariable("NOTIFY_SOCKET"),
            Environment.GetEnvironmentVariable("WATCHDOG_USEC"),
            provider.GetRequiredService<IWorkerStatus>(),
            provider.GetRequiredService<IHostApplicationLifetime>(),
            provider.GetRequiredService<TimeProvider>(),
            provider.GetRequiredService<ILogger<SystemdNotifications>>()));

        // Registered as an instance, so that the container does not dispose it: it belongs to the process.
        services.AddSingleton(ShutdownSignals.Process);
        services.AddSingleton<IHostLifetime, SignalLifetime>();
        services.AddOptions<HostOptions>().Configure<HostingOptions>(static (host, hosting) => host.ShutdownTimeout = hosting.DrainTimeout + ShutdownReserve);
    }
}
