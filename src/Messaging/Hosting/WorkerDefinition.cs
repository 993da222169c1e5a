using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Publishing;

namespace Quayside.Messaging.Hosting;

/// <summary>
/// The features of a worker that does not run yet: for programs that check or explain a configuration, or send messages without starting a
/// worker. <see cref="MessageWorkerHostExtensions.AddMessageWorker(Microsoft.Extensions.Hosting.IHostApplicationBuilder, WorkerDefinition)"/>
/// adds it to one host. Threads: one at a time.
/// </summary>
internal sealed class WorkerDefinition
{
    /// <param name="configure">Adds sources, handlers and sinks; called once, before the constructor returns.</param>
    public WorkerDefinition(Action<IMessageWorkerBuilder> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        configure(Worker);
    }

    /// <summary>The services that the features added.</summary>
    public IServiceCollection Services => Worker.Services;

    /// <summary>The handlers, in the order in which they were added.</summary>
    public IReadOnlyList<IHandlerFeature> Handlers => Worker.Features.Handlers;

    /// <summary>The sections of the settings, in the order of the reference; a section that several classes read is listed once per class.</summary>
    public IReadOnlyList<SettingsSection> Sections => Worker.Features.Sections.All;

    internal MessageWorkerBuilder Worker { get; } = new(new ServiceCollection());

    /// <summary>Reads and checks a configuration; opens and connects to nothing.</summary>
    /// <returns>The plan, with every problem that was found.</returns>
    public WorkerPlan Plan(IConfiguration configuration) => new WorkerPlanner(configuration, Worker.Features).Plan();

    /// <summary>The senders that the sources offer for <c>publish</c>.</summary>
    /// <exception cref="StartupException">Two senders have the same name.</exception>
    public SenderCatalog GetSenders() => new(Worker.Features);

    /// <summary>The dead-letter stores that <c>redrive</c> can read.</summary>
    /// <exception cref="StartupException">Two stores have the same name.</exception>
    public RedriveCatalog GetRedrives() => new(Worker.Features);
}
