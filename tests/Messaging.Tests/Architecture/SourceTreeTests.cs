using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;

namespace Messaging.Tests.Architecture;

/// <summary>
/// Rules of the tree of files. Approved has what breaks one today: its lists may only become shorter, and <c>APPROVE=1</c> shortens them, never adds a line.
/// </summary>
public sealed partial class SourceTreeTests
{
    private const int MaxColumns = 160;
    private const int MaxLines = 400;

    private static readonly string Root = Path.GetFullPath(Path.Combine(Folder(), "../../.."));

    /// <summary>What a source, sink, handler or command stands on; all else of src is an integration, which knows no other.</summary>
    private static readonly string[] Foundations = ["Messaging", "Messaging.Testing", "Pipeline", "Pipeline.Generators"];

    /// <summary>What stands on integrations: the program, and the console on the web server and the command line.</summary>
    private static readonly string[] Programs = ["Worker", "Messaging.Console"];

    [Fact]
    public void Lines_OfEveryFile_HaveAtMost160Columns() =>
        Check("long-lines", Sources().SelectMany(file => File.ReadLines(Path.Combine(Root, file)).Where(line => line.Length > MaxColumns).Select(_ => file)));

    [Fact]
    public void Files_OfSrc_HaveAtMost400Lines() =>
        Check("long-files", Sources()
            .Where(file => file.StartsWith("src/", StringComparison.Ordinal) && File.ReadLines(Path.Combine(Root, file)).Count() > MaxLines));

    /// <summary>A file in two assemblies is two types of one name, and who changes it does not see the other.</summary>
    [Fact]
    public void Files_OfSrc_BelongToOneAssembly() => Projects("src").SelectMany(project =>
        Includes.Matches(File.ReadAllText(project)).Select(include => $"{Path.GetFileNameWithoutExtension(project)} {include.Groups["path"].Value}"))
        .ShouldBeEmpty();

    [Fact]
    public void Integrations_ReferenceNoOtherIntegration() => Check("references", Projects("src")
        .Where(project => !Programs.Contains(Path.GetFileNameWithoutExtension(project)))
        .SelectMany(project => References.Matches(File.ReadAllText(project))
            .Select(reference => reference.Groups["name"].Value)
            .Except(Foundations)
            .Select(name => $"{Path.GetFileNameWithoutExtension(project)} {name}")));

    [Fact]
    public void Solution_HasEveryProject()
    {
        string solution = File.ReadAllText(Path.Combine(Root, "Worker.sln")).Replace('\\', '/');

        string[] projects =
        [
            .. new[] { "src", "tests", "proof", "benchmarks", "harness", "lab" }.SelectMany(Projects).Select(project => Path.GetRelativePath(Root, project)),
        ];

        projects.Length.ShouldBeGreaterThan(20);
        projects.Where(project => !solution.Contains($"\"{project}\"", StringComparison.Ordinal)).ShouldBeEmpty();
    }

    private static void Check(string list, IEnumerable<string> found)
    {
        string path = Path.Combine(Folder(), "Approved", $"{list}.txt");
        Dictionary<string, int> approved = File.ReadLines(path).Select(line => line.Split(": "))
            .ToDictionary(line => line[0], line => int.Parse(line[1]));
        Dictionary<string, int> counts = found.CountBy(name => name, StringComparer.Ordinal).ToDictionary(StringComparer.Ordinal);
        if (Environment.GetEnvironmentVariable("APPROVE") == "1")
        {
            File.WriteAllLines(path, counts
                .Where(entry => approved.ContainsKey(entry.Key))
                .OrderBy(entry => entry.Key, StringComparer.Ordinal)
                .Select(entry => $"{entry.Key}: {Math.Min(entry.Value, approved[entry.Key])}"));
        }

        counts.Where(entry => entry.Value > approved.GetValueOrDefault(entry.Key)).Select(entry => $"{entry.Key}: {entry.Value}")
            .ShouldBeEmpty($"More than {Path.GetRelativePath(Root, path)} allows.");
    }

    private static IEnumerable<string> Sources() => Directory
        .EnumerateFiles(Root, "*.cs", SearchOption.AllDirectories)
        .Select(file => Path.GetRelativePath(Root, file).Replace('\\', '/'))
        .Where(file => !file.Split('/').Any(static part => part is "bin" or "obj" or "artifacts" or "node_modules"));

    private static IEnumerable<string> Projects(string folder) => Directory
        .EnumerateFiles(Path.Combine(Root, folder), "*.csproj", SearchOption.AllDirectories)
        .Where(file => !file.Split('/', '\\').Any(static part => part is "bin" or "obj" or "apps" or "node_modules"));

    private static string Folder([CallerFilePath] string file = "") => Path.GetDirectoryName(file)!;

    [GeneratedRegex("<Compile Include=\"(?<path>[^\"]+)\"")]
    private static partial Regex Includes { get; }

    [GeneratedRegex("<ProjectReference Include=\"(?:[^\"]*/)?(?<name>[^\"/]+)\\.csproj\"")]
    private static partial Regex References { get; }
}
