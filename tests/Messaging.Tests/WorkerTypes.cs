using System.Reflection;
using Quayside.Worker;

namespace Messaging.Tests;

/// <summary>The types of the worker and of all its packages.</summary>
internal static class WorkerTypes
{
    public static IReadOnlyList<Type> All { get; } =
    [
        .. typeof(Program).Assembly.GetReferencedAssemblies()
            .Where(name => name.Name!.StartsWith("Quayside.", StringComparison.Ordinal))
            .Select(Assembly.Load)
            .Append(typeof(Program).Assembly)
            .SelectMany(assembly => assembly.GetTypes()),
    ];
}
