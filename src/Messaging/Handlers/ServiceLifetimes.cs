using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;

namespace Messaging.Handlers;

/// <summary>Knows which services are scoped: a handler that lives as long as its route would share one such service among all messages.</summary>
internal sealed class ServiceLifetimes(IServiceCollection services)
{
    /// <summary>Finds a scoped service: the class itself, or a parameter of its constructors. A registered singleton has none: its owner decided.</summary>
    /// <returns>Its type; null when there is none.</returns>
    public Type? FindScoped([DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] Type type) => LifetimeOf(type) == ServiceLifetime.Singleton ? null : type.GetConstructors()
        .SelectMany(constructor => constructor.GetParameters())
        .Select(parameter => parameter.ParameterType)
        .Prepend(type)
        .FirstOrDefault(service => LifetimeOf(service) == ServiceLifetime.Scoped);

    private ServiceLifetime? LifetimeOf(Type type)
    {
        Type? open = type.IsGenericType ? type.GetGenericTypeDefinition() : null;
        return services.LastOrDefault(service => !service.IsKeyedService && (service.ServiceType == type || service.ServiceType == open))?.Lifetime;
    }
}
