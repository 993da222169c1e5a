using System.Reflection;
using System.Runtime.Loader;

namespace Proof.Fuzz.Coverage;

/// <summary>A second copy of this program in the same process, in which the blocks of some parsers are marked.</summary>
internal sealed class InstrumentedContext : AssemblyLoadContext
{
    private readonly Dictionary<string, HashSet<string>> _types;

    /// <param name="parsers">The types whose blocks are marked.</param>
    public InstrumentedContext(IEnumerable<Type> parsers) =>
        _types = parsers.GroupBy(type => type.Assembly.GetName().Name!).ToDictionary(group => group.Key, group => group.Select(type => type.FullName!).ToHashSet());

    /// <summary>True within the copy.</summary>
    public static bool IsCurrent => GetLoadContext(typeof(InstrumentedContext).Assembly) != Default;

    /// <summary>Runs the program's entry point with the process's arguments.</summary>
    /// <returns>The exit code.</returns>
    public int Run() => (int)LoadFromAssemblyName(typeof(Program).Assembly.GetName()).EntryPoint!
        .Invoke(null, BindingFlags.DoNotWrapExceptions, null, [Environment.GetCommandLineArgs()[1..]], null)!;

    // This repository's assemblies have symbols beside them. Packages do not reference them, so they are shared.
    protected override Assembly? Load(AssemblyName assemblyName)
    {
        string path = Path.Combine(AppContext.BaseDirectory, $"{assemblyName.Name}.dll");
        if (!File.Exists(Path.ChangeExtension(path, ".pdb")))
        {
            return null;
        }

        if (!_types.TryGetValue(assemblyName.Name!, out HashSet<string>? types))
        {
            return LoadFromAssemblyPath(path);
        }

        (Stream assembly, Stream symbols) = BlockMarks.Rewrite(path, types);
        using (assembly)
        using (symbols)
        {
            return LoadFromStream(assembly, symbols);
        }
    }
}
