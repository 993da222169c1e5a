using System.Reflection;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.Configuration;

/// <summary>The settings classes of the worker and of all its packages.</summary>
internal static class SettingsClasses
{
    public static IReadOnlyList<Type> All { get; } =
        [.. WorkerTypes.All.Where(type => type.GetProperties().Any(property => property.IsDefined(typeof(SettingAttribute))))];
}
