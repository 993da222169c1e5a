using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sinks.Memory;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Sources.Channels;
using Quayside.Messaging.Storage;
using Quayside.Messaging.Unwrapping;

namespace Quayside.Messaging.Hosting;

/// <summary>Collects a worker's features, starting with those of the core.</summary>
internal sealed class MessageWorkerBuilder : IMessageWorkerBuilder
{
    public MessageWorkerBuilder(IServiceCollection services)
    {
        Services = services;
        foreach (SettingsSection section in Features.Sections.All)
        {
            AddSingleton(section);
        }

        AddSettings(SettingsSection.Unchecked("Logging"));
        AddSource(new ChannelSourceFeature());
        AddSink(new DirectorySinkFeature());
        AddSink(new MemorySinkFeature());
        services.AddChannelPublishers();
        services.TryAddSingleton<DirectoryDeadLetterStore>();
        services.TryAddSingleton<IDeadLetterStore>(static provider => provider.GetRequiredService<DirectoryDeadLetterStore>());
    }

    public IServiceCollection Services { get; private set; }

    public WorkerFeatures Features { get; } = new();

    /// <summary>
    /// Moves the services to a host's container, behind the worker's own: its routes start before what its features host. Later additions go there too.
    /// </summary>
    /// <param name="services">The host's container.</param>
    /// <param name="register">Adds the worker's own services.</param>
    public void MoveTo(IServiceCollection services, Action<MessageWorkerBuilder> register)
    {
        IServiceCollection features = Services;
        Services = services;
        register(this);
        foreach (ServiceDescriptor service in features)
        {
            services.Add(service);
        }
    }

    public IMessageWorkerBuilder AddSource(ISourceFeature source)
    {
        Features.Add(source);
        return this;
    }

    public IMessageWorkerBuilder AddEnvelope(IEnvelopeFeature envelope)
    {
        Features.Add(envelope);
        return this;
    }

    public IMessageWorkerBuilder AddHandler(IHandlerFeature handler)
    {
        Features.Add(handler);
        return this;
    }

    public IMessageWorkerBuilder AddSink(ISinkFeature sink)
    {
        Features.Add(sink);
        return this;
    }

    public IMessageWorkerBuilder AddPart(RoutePart part)
    {
        Features.Add(part);
        return this;
    }

    public IMessageWorkerBuilder AddSettings(SettingsSection section)
    {
        Features.Add(section);
        AddSingleton(section);
        return this;
    }

    private void AddSingleton(SettingsSection section)
    {
        if (section is { SettingsType: { } type, IsPerRoute: false })
        {
            Services.TryAddSingleton(type, provider => provider.GetRequiredService<WorkerPlan>().Settings[type]);
        }
    }
}
