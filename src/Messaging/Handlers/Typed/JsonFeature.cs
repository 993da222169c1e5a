using System.Text.Json.Serialization.Metadata;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Handlers.Typed;

/// <summary>Makes a typed handler one that routes can name: what handlers of messages and of batches have in common.</summary>
internal abstract class JsonFeature<TMessage>(
    string name, JsonTypeInfo<TMessage>? typeInfo, HandlerSettings settings, Type handler, SinkKind writes) : IHandlerFeature
{
    public string Name { get; } = name;

    public IReadOnlyList<SettingsSection> Settings { get; } = [settings.SectionOf(name)];

    public SinkKind Writes => writes;

    public JsonTypeInfo? MessageTypeInfo => typeInfo;

    public HandlerPlan Configure(SettingsReader reader, string route)
    {
        JsonBody<TMessage> json = JsonBody<TMessage>.Of(typeInfo, reader, Name);
        object options = settings.Read(reader, $"Handlers:{Name}", route);
        return Plan(json, options, settings.IsArgument ? [options] : []);
    }

    /// <summary>The handler's class: errors name it.</summary>
    public override string ToString() => handler.ToString();

    /// <param name="json">Reads bodies.</param>
    /// <param name="options">What the section was read into.</param>
    /// <param name="arguments">The handler's constructor arguments.</param>
    protected abstract HandlerPlan Plan(JsonBody<TMessage> json, object options, object[] arguments);
}
