using System.Runtime.CompilerServices;

namespace Messaging.Tests.PublicApi;

/// <summary>The assemblies of src.</summary>
internal static class SourceAssemblies
{
    /// <summary>All, by the names of their projects.</summary>
    public static IReadOnlyList<string> Projects { get; } =
    [
        .. Directory
            .EnumerateFiles(Path.Combine(Folder(), "../../../src"), "*.csproj", SearchOption.AllDirectories)
            .Select(project => Path.GetFileNameWithoutExtension(project))
            .Select(project => project == "Worker" ? project : $"Quayside.{project}")
            .Order(StringComparer.Ordinal),
    ];

    /// <summary>Those that these tests reference. The generator is none of them: it runs in the compiler.</summary>
    public static IReadOnlyList<string> Names { get; } = [.. Projects.Where(name => File.Exists(PathOf(name)))];

    public static string PathOf(string name) => Path.Combine(AppContext.BaseDirectory, $"{name}.dll");

    private static string Folder([CallerFilePath] string file = "") => Path.GetDirectoryName(file)!;
}
