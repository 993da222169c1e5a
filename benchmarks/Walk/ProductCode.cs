using Mono.Cecil;

namespace Benchmarks.Walk;

/// <summary>The product's assemblies beside this program, and the file of each type.</summary>
internal static class ProductCode
{
    private static readonly string[] Own = ["Quayside", "Worker"];

    /// <summary>The folder of this program, which has all assemblies that it runs with.</summary>
    public static string Folder { get; } = Path.GetDirectoryName(typeof(ProductCode).Assembly.Location)!;

    public static bool IsOwn(string file) =>
        Path.GetExtension(file) == ".dll" && Path.GetFileNameWithoutExtension(file) is { } name
        && Own.Any(own => name == own || name.StartsWith(own + ".", StringComparison.Ordinal))
        && File.Exists(Path.ChangeExtension(file, ".pdb"));

    /// <summary>The types that are written in the repository, each with the path of its file in it, such as <c>src/Messaging/Intake/SlotPump.cs</c>.</summary>
    public static IReadOnlyDictionary<string, string> ReadFiles()
    {
        Dictionary<string, string> files = new(StringComparer.Ordinal);
        foreach (string path in Directory.EnumerateFiles(Folder).Where(IsOwn))
        {
            using AssemblyDefinition assembly = Read(path);
            foreach (TypeDefinition type in assembly.MainModule.GetTypes())
            {
                string name = NameOf(type);
                foreach (string file in type.Methods.Select(FileOf).OfType<string>())
                {
                    // Of a type in several files, the one with its name.
                    if (!files.ContainsKey(name) || Path.GetFileNameWithoutExtension(file) == name[(name.LastIndexOf('.') + 1)..])
                    {
                        files[name] = file;
                    }
                }
            }
        }

        return files;
    }

    public static AssemblyDefinition Read(string path)
    {
        DefaultAssemblyResolver resolver = new();
        resolver.AddSearchDirectory(Folder);
        return AssemblyDefinition.ReadAssembly(path, new ReaderParameters { ReadSymbols = true, AssemblyResolver = resolver });
    }

    /// <summary>The name of the type in whose file it is written, without its arity.</summary>
    public static string NameOf(TypeDefinition type)
    {
        while (type.DeclaringType is { } outer)
        {
            type = outer;
        }

        return type.FullName.Split('`')[0];
    }

    /// <summary>The method as written, of which the compiler made this one or this state machine's.</summary>
    public static string NameOf(MethodDefinition method)
    {
        string name = method.Name.StartsWith('<') ? method.Name : method.DeclaringType.Name;
        int end = name.IndexOf('>', StringComparison.Ordinal);
        return name.StartsWith('<') && end > 1 ? name[1..end] : method.Name;
    }

    private static string? FileOf(MethodDefinition method)
    {
        // A build on a server writes /_/src/..., one on a developer's machine the whole path.
        string? path = method.DebugInformation.SequencePoints.Select(point => point.Document.Url.Replace('\\', '/')).FirstOrDefault();
        int start = path?.LastIndexOf("/src/", StringComparison.Ordinal) ?? -1;
        return start < 0 || path!.EndsWith(".g.cs", StringComparison.Ordinal) ? null : path[(start + 1)..];
    }
}
