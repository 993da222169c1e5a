using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Handlers;

/// <summary>Makes a handler in a service scope of its own, for each call. Threads: any.</summary>
internal sealed class ScopedFactory<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>
    where THandler : class
{
    private readonly IServiceScopeFactory _scopes;

    // Null where the container creates the handler and so disposes it.
    private readonly ObjectFactory<THandler>? _create;
    private readonly object[] _arguments;

    /// <param name="services">The container.</param>
    /// <param name="arguments">Further constructor arguments.</param>
    public ScopedFactory(IServiceProvider services, params object[] arguments)
    {
        _scopes = services.GetRequiredService<IServiceScopeFactory>();
        bool isRegistered = arguments.Length == 0 && services.GetService<IServiceProviderIsService>()?.IsService(typeof(THandler)) == true;
        _create = isRegistered ? null : ActivatorUtilities.CreateFactory<THandler>([.. arguments.Select(argument => argument.GetType())]);
        _arguments = arguments;
    }

    /// <summary>Opens a scope with a handler in it; dispose the result.</summary>
    public Lease Open()
    {
        AsyncServiceScope scope = _scopes.CreateAsyncScope();
        try
        {
            THandler handler = _create is null ? scope.ServiceProvider.GetRequiredService<THandler>() : _create(scope.ServiceProvider, _arguments);
            return new Lease(scope, handler, _create is null ? null : handler);
        }
        catch
        {
            // Services may be disposable only asynchronously, and how disposing them fails must not hide this exception.
            _ = DisposeAsync(scope);
            throw;
        }
    }

    private static async Task DisposeAsync(AsyncServiceScope scope) =>
        await scope.DisposeAsync().AsTask().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    /// <summary>Creates and disposes one handler, so that a missing service shows at start and not with the first message.</summary>
    /// <exception cref="StartupException">The handler cannot be created.</exception>
    public async Task CheckAsync(string route)
    {
        try
        {
            await Open().DisposeAsync();
        }
        catch (Exception exception)
        {
            throw PartActivator.Failed<THandler>(route, exception);
        }
    }

    /// <summary>A handler and its scope.</summary>
    /// <param name="scope">The scope.</param>
    /// <param name="handler">The handler.</param>
    /// <param name="own">The handler, where the scope does not dispose it.</param>
    internal readonly struct Lease(AsyncServiceScope scope, THandler handler, THandler? own) : IAsyncDisposable
    {
        public THandler Handler => handler;

        public async ValueTask DisposeAsync()
        {
            try
            {
                await PartActivator.DisposeAsync(own);
            }
            finally
            {
                await scope.DisposeAsync();
            }
        }
    }
}

/// <summary>Knows which services are scoped: a handler that lives as long as its route would share one such service among all messages.</summary>
internal sealed class ServiceLifetimes(IServiceCollection services)
{
    /// <summary>Finds a scoped service: the class itself, or a parameter of its constructors. A registered singleton has none: its owner decided.</summary>
    /// <returns>Its type; null when there is none.</returns>
    public Type? FindScoped([DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] Type type) =>
        LifetimeOf(type) == ServiceLifetime.Singleton ? null : type.GetConstructors()
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
