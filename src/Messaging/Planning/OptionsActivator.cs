using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using Microsoft.Extensions.DependencyInjection;

namespace Quayside.Messaging.Planning;

/// <summary>Creates sources and sinks that were added by their class and that of their settings.</summary>
internal static class OptionsActivator
{
    public const DynamicallyAccessedMemberTypes Settings =
        DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor;

    /// <summary>
    /// A new instance, by the constructor that takes most of the arguments; it may take fewer, and the rest of its parameters from the container.
    /// </summary>
    public static T Create<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] T>(IServiceProvider container, params object[] given)
    {
        object[] taken = typeof(T).GetConstructors().Select(constructor => TakenBy(constructor, given)).MaxBy(arguments => arguments.Length) ?? [];
        return ActivatorUtilities.CreateInstance<T>(container, taken);
    }

    private static object[] TakenBy(ConstructorInfo constructor, object[] given) =>
        [.. given.Where(argument => constructor.GetParameters().Any(parameter => parameter.ParameterType == argument.GetType()))];
}
