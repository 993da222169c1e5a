using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Handlers;

/// <summary>Creates the handlers and parts that were added by type.</summary>
internal static class PartActivator
{
    /// <summary>The container's instance where the type is registered there; else a new one, whose constructor arguments come from the container.</summary>
    /// <param name="services">The container.</param>
    /// <param name="route">The route, for the error.</param>
    /// <param name="own">Receives a new instance, which its owner disposes.</param>
    /// <param name="arguments">Further constructor arguments. With any, the instance is always a new one.</param>
    /// <exception cref="StartupException">The instance cannot be created; says why.</exception>
    public static T Create<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] T>(
        IServiceProvider services, string route, Action<object> own, params object[] arguments)
        where T : class
    {
        try
        {
            // The host's own container would give all messages one instance.
            if (services.GetService<ServiceLifetimes>()?.FindScoped(typeof(T)) is { } scoped)
            {
                throw new StartupException(
                    $"Route {route}: {typeof(T).Name} {(scoped == typeof(T) ? "is" : $"takes {scoped.Name}, which is")} a scoped service: all messages would "
                        + "share one. Add a handler with AddScopedHandler or AddScopedBatchHandler; a step or behaviour makes a scope of its own.",
                    ExitCodes.Configuration);
            }

            if (arguments.Length == 0 && services.GetService<T>() is { } registered)
            {
                return registered;
            }

            T created = ActivatorUtilities.CreateInstance<T>(services, arguments);
            own(created);
            return created;
        }
        catch (Exception exception)
        {
            throw Failed<T>(route, exception);
        }
    }

    /// <summary>Says why a part could not be created.</summary>
    public static StartupException Failed<T>(string route, Exception exception) => exception switch
    {
        StartupException startup => startup,

        // No suitable constructor, or one whose parameter the container does not have.
        InvalidOperationException =>
            new StartupException($"Route {route}: {typeof(T).Name} cannot be created: {ServiceErrors.Describe(exception)}", ExitCodes.Configuration, exception),
        _ => new StartupException($"Route {route}: the constructor of {typeof(T).Name} failed: {exception.Message}", ExitCodes.Unavailable, exception),
    };

    /// <summary>Disposes a part that is disposable; ignores null.</summary>
    public static ValueTask DisposeAsync(object? part)
    {
        switch (part)
        {
            case IAsyncDisposable disposable:
                return disposable.DisposeAsync();
            case IDisposable disposable:
                disposable.Dispose();
                break;
        }

        return default;
    }
}
