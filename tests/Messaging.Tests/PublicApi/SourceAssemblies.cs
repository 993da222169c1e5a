using System.Runtime.CompilerServices;

namespace Messaging.Tests.PublicApi;

/// <summary>The assemblies of src that these tests reference. The generator is none of them: it runs in the compiler.</summary>
internal static class SourceAssemblies
{
    public static IReadOnlyList<string> Names { get; } =
    [
        .. Directory
            .EnumerateFiles(Path.Combine(Folder(), "../../../src"), "*.csproj", SearchOption.AllDirectories)
            .Select(project => Path.GetFileNameWithoutExtension(project))
            .Select(project => project == "Worker" ? project : $"Quayside.{project}")
            .Where(name => File.Exists(PathOf(name)))
            .Order(StringComparer.Ordinal),
    ];

    public static string PathOf(string name) => Path.Combine(AppContext.BaseDirectory, $"{name}.dll");

    private static string Folder([CallerFilePath] string file = "") => Path.GetDirectoryName(file)!;
}
