using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization.Metadata;
using Messaging.Handlers.Typed;
using Microsoft.Extensions.DependencyInjection;

namespace Messaging.Handlers;

/// <summary>Adds handlers of JSON messages, which routes then name.</summary>
public static class HandlerServiceCollectionExtensions
{
    /// <summary>
    /// Adds a handler. One instance serves every message of a route: the container's where <typeparamref name="THandler"/> is
    /// registered, else one that is made when the worker starts and disposed after the route has drained.
    /// </summary>
    /// <typeparam name="TMessage">What bodies are read into.</typeparam>
    /// <typeparam name="THandler">The handler; its constructor may take what the container has.</typeparam>
    /// <param name="services">The worker's services.</param>
    /// <param name="name">The name for <c>Routes:{route}:Handler</c>: <see cref="Routes.NamedRoute.AllowedName"/>.</param>
    /// <param name="typeInfo">How bodies are read, from a <c>JsonSerializerContext</c>: no reflection at run time.</param>
    public static IServiceCollection AddHandler<TMessage, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>(
        this IServiceCollection services, string name, JsonTypeInfo<TMessage> typeInfo)
        where THandler : class, IMessageHandler<TMessage>
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        ArgumentNullException.ThrowIfNull(typeInfo);
        return services.AddSingleton<IHandlerFeature>(new JsonHandlerFeature<TMessage, THandler>(name, typeInfo));
    }
}
