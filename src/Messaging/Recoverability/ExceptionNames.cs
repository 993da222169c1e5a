using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Recoverability;

/// <summary>Checks names of exception types against the types of the program. Used at start only.</summary>
internal static class ExceptionNames
{
    /// <summary>Why a name can never match an exception; null when it can, or when that cannot be determined.</summary>
    /// <param name="name">A full name, such as <c>System.TimeoutException</c>, or a simple one.</param>
    public static string? FindProblem(string name)
    {
        // Native code does not list every type that it can throw.
        if (!RuntimeFeature.IsDynamicCodeSupported)
        {
            return null;
        }

        HashSet<string> exceptions = new(StringComparer.Ordinal);
        bool isOther = false;
        foreach (Type type in Types())
        {
            bool isNamed = type.FullName == name || type.Name == name;
            if (typeof(Exception).IsAssignableFrom(type))
            {
                if (isNamed)
                {
                    return null;
                }

                exceptions.Add(name.Contains('.', StringComparison.Ordinal) ? type.FullName! : type.Name);
            }

            isOther |= isNamed;
        }

        string hint = NearestName.Find(name, exceptions) is { } nearest
            ? $" Did you mean {nearest}?"
            : " Use the full name, such as System.TimeoutException, or the name without its namespace.";
        return isOther
            ? $"{name} is not an exception type.{hint}"
            : $"{name} is not an exception type of this program or the libraries that it references.{hint}";
    }

    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "A type that trimming has removed cannot be thrown.")]
    private static IEnumerable<Type> Types()
    {
        Queue<Assembly> left = new(AppDomain.CurrentDomain.GetAssemblies());
        HashSet<string?> seen = [.. left.Select(assembly => assembly.GetName().Name)];
        while (left.TryDequeue(out Assembly? assembly))
        {
            foreach (Type type in TypesOf(assembly))
            {
                yield return type;
            }

            foreach (AssemblyName reference in assembly.IsDynamic ? [] : assembly.GetReferencedAssemblies())
            {
                if (seen.Add(reference.Name) && TryLoad(reference) is { } loaded)
                {
                    left.Enqueue(loaded);
                }
            }
        }
    }

    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "A type that trimming has removed cannot be thrown.")]
    private static IEnumerable<Type> TypesOf(Assembly assembly)
    {
        try
        {
            return assembly.IsDynamic ? [] : assembly.GetTypes();
        }
        catch (ReflectionTypeLoadException exception)
        {
            return exception.Types.OfType<Type>();
        }
    }

    private static Assembly? TryLoad(AssemblyName name)
    {
        try
        {
            return Assembly.Load(name);
        }
        catch (Exception exception) when (exception is IOException or BadImageFormatException)
        {
            // An optional reference that is not deployed.
            return null;
        }
    }
}
