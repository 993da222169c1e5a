using Messaging.Configuration;
using Messaging.Sinks;

namespace Messaging.Handlers;

/// <summary>A kind of handler that routes can name; added by <see cref="Hosting.IMessageWorkerBuilder.AddHandler"/>. Errors call it by its <see cref="object.ToString"/>, the class by default.</summary>
public interface IHandlerFeature
{
    /// <summary>The name in <c>Routes:{route}:Handler</c> and below <c>Handlers:</c>, such as <c>Archive</c>.</summary>
    string Name { get; }

    /// <summary>The section <c>Handlers:{Name}</c> and the class that reads it; several classes may share it, and a handler without settings has none.</summary>
    IReadOnlyList<SettingsSection> Settings { get; }

    /// <summary>The kind of sink that its results go to; with <see cref="SinkKind.None"/> its routes have no sink, and may name none.</summary>
    SinkKind Writes => SinkKind.Objects;

    /// <summary>Reads and checks the settings for one route; problems go into the reader. Touches nothing outside the configuration.</summary>
    /// <returns>What adds the handler's parts once the whole configuration was found right, and what others have to know of it.</returns>
    HandlerPlan Configure(SettingsReader settings, string route);
}
