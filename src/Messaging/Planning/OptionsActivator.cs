using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;

namespace Quayside.Messaging.Planning;

/// <summary>Creates sources and sinks that were added by their class and that of their settings.</summary>
internal static class OptionsActivator
{
    public const DynamicallyAccessedMemberTypes Settings =
        DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor;

    /// <summary>A new instance, whose constructor takes of the arguments those that it has parameters for, and the rest from the container.</summary>
    public static T Create<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] T>(IServiceProvider container, params object[] given)
    {
        Type[] taken = [.. typeof(T).GetConstructors().SelectMany(static constructor => constructor.GetParameters().Select(static one => one.ParameterType))];
        return ActivatorUtilities.CreateInstance<T>(container, [.. given.Where(argument => taken.Contains(argument.GetType()))]);
    }
}
