using System.Reflection;
using Messaging.Configuration;
using Worker.Hosting;

namespace Worker.Tests.Configuration;

/// <summary>The settings classes of the worker and of every package that it is made of.</summary>
internal static class SettingsClasses
{
    public static IReadOnlyList<Type> All { get; } =
    [
        .. typeof(WorkerHost).Assembly.GetReferencedAssemblies()
            .Where(name => name.Name!.StartsWith("Messaging", StringComparison.Ordinal))
            .Select(Assembly.Load)
            .Append(typeof(WorkerHost).Assembly)
            .SelectMany(assembly => assembly.GetTypes())
            .Where(type => type.GetProperties().Any(property => property.IsDefined(typeof(SettingAttribute)))),
    ];
}
