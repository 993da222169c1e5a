using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Unwrapping;

namespace Quayside.Messaging.Testing;

/// <summary>Forwards to the worker's builder, and sees whether a web server is added.</summary>
internal sealed class TestWorkerBuilder(IMessageWorkerBuilder worker) : IMessageWorkerBuilder
{
    /// <summary>True after a package has added the setting <c>Hosting:Url</c>.</summary>
    public bool HasUrl { get; private set; }

    /// <summary>The handlers that were added.</summary>
    public List<IHandlerFeature> Handlers { get; } = [];

    public IServiceCollection Services => worker.Services;

    public IMessageWorkerBuilder AddSource(ISourceFeature source) => Forward(() => worker.AddSource(source));

    public IMessageWorkerBuilder AddEnvelope(IEnvelopeFeature envelope) => Forward(() => worker.AddEnvelope(envelope));

    public IMessageWorkerBuilder AddHandler(IHandlerFeature handler) => Forward(() =>
    {
        worker.AddHandler(handler);
        Handlers.Add(handler);
    });

    public IMessageWorkerBuilder AddSink(ISinkFeature sink) => Forward(() => worker.AddSink(sink));

    public IMessageWorkerBuilder AddPart(RoutePart part) => Forward(() => worker.AddPart(part));

    public IMessageWorkerBuilder AddSettings(SettingsSection section)
    {
        HasUrl |= section.Name == "Hosting" && section.SettingsType?.GetProperty("Url") is not null;
        return Forward(() => worker.AddSettings(section));
    }

    private TestWorkerBuilder Forward(Action add)
    {
        add();
        return this;
    }
}
