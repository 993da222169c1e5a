using System.Text.Json.Serialization.Metadata;
using Messaging.Configuration;
using Messaging.Sinks;

namespace Messaging.Handlers;

/// <summary>A kind of handler that routes can name; added by <see cref="Hosting.IMessageWorkerBuilder.AddHandler"/>. Errors name it by its <see cref="object.ToString"/>, by default the class.</summary>
public interface IHandlerFeature
{
    /// <summary>The name in <c>Routes:{route}:Handler</c> and below <c>Handlers:</c>, such as <c>Archive</c>.</summary>
    string Name { get; }

    /// <summary>The section <c>Handlers:{Name}</c> and the class that reads it; several classes may share it, and a handler without settings has none.</summary>
    IReadOnlyList<SettingsSection> Settings { get; }

    /// <summary>The kind of sink that its results go to; with <see cref="SinkKind.None"/> its routes have no sink and must not name one.</summary>
    SinkKind Writes => SinkKind.Objects;

    /// <summary>How bodies are read into messages, so that tests can write messages in the same way; null for a handler that reads bodies itself.</summary>
    JsonTypeInfo? MessageTypeInfo => null;

    /// <summary>Reads and checks the settings for one route; problems go into the reader. Touches nothing outside the configuration.</summary>
    /// <returns>How to add the handler's parts once the whole configuration is valid, and what the rest of the route must know about it.</returns>
    HandlerPlan Configure(SettingsReader settings, string route);
}
