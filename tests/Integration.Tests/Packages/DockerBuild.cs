using System.Text.RegularExpressions;

namespace Integration.Tests.Packages;

/// <summary>
/// What <c>docker build</c> does up to the publish, without Docker: a stage's COPY lines copy into an empty folder, less what .dockerignore names, and its
/// <c>dotnet</c> commands run there. Nothing else of the Dockerfile's folder is in reach, and no package of the worker's own but those that were copied.
/// </summary>
internal sealed partial class DockerBuild : IDisposable
{
    private readonly string _context;
    private readonly string[] _ignored;
    private readonly Dictionary<string, Stage> _stages = new(StringComparer.Ordinal);
    private readonly NewcomerFolder _folder = new();

    public DockerBuild(string context)
    {
        _context = context;
        _ignored = [.. File.ReadLines(Path.Combine(context, ".dockerignore")).Where(line => line.Length > 0)];
        string dockerfile = File.ReadAllText(Path.Combine(context, "Dockerfile")).Replace("\\\n", " ", StringComparison.Ordinal);
        Stage? stage = null;
        foreach (Match step in Step.Matches(dockerfile))
        {
            string[] words = step.Groups["text"].Value.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (step.Groups["name"].Value == "FROM")
            {
                stage = new Stage(words[0], []);
                _stages[words[^1]] = stage;
            }
            else
            {
                stage?.Steps.Add((step.Groups["name"].Value, words));
            }
        }
    }

    /// <summary>The folder that is /app in the image.</summary>
    public string App => _folder.Combine("app");

    /// <summary>Runs a stage, after those that it is made from.</summary>
    /// <param name="stage">Its name.</param>
    /// <param name="change">Gives the command to run in place of one; none skips it.</param>
    /// <returns>The output of the last command.</returns>
    public async Task<string> RunAsync(string stage, Func<string[], string[]> change)
    {
        (string image, List<(string Name, string[] Words)> steps) = _stages[stage];
        string output = _stages.ContainsKey(image) ? await RunAsync(image, change) : string.Empty;
        string repo = Directory.CreateDirectory(_folder.Combine("repo")).FullName;
        foreach ((string name, string[] words) in steps)
        {
            switch (name, words)
            {
                case ("COPY", [_, .. var sources, string target]) when !words[0].StartsWith("--from=", StringComparison.Ordinal):
                    foreach (string source in sources.Prepend(words[0]))
                    {
                        Copy(source, Path.Combine(repo, target));
                    }

                    break;
                case ("RUN", ["dotnet", .. var command]) when change(command) is { Length: > 0 } changed:
                    output = await DotnetCommand.RunAsync(repo, changed.Select(word => word == "/app" ? App : word));
                    break;
            }
        }

        return output;
    }

    public void Dispose() => _folder.Dispose();

    /// <summary>As COPY does: the content of a folder, and a file under its name into a target that is a folder.</summary>
    private void Copy(string source, string target)
    {
        string from = Path.Combine(_context, source);
        string[] files = Directory.Exists(from) ? Directory.GetFiles(from, "*", SearchOption.AllDirectories) : [from];
        foreach (string file in files.Where(file => !IsIgnored(Path.GetRelativePath(_context, file))))
        {
            FileInfo copy = new(Path.Combine(target, Directory.Exists(from) ? Path.GetRelativePath(from, file) : Path.GetFileName(file)));
            copy.Directory!.Create();
            File.Copy(file, copy.FullName, overwrite: true);
        }
    }

    /// <summary>By the last pattern that matches, as Docker does: a name anywhere (**/name), a path, or an exception (!path).</summary>
    private bool IsIgnored(string path)
    {
        bool Matches(string pattern) => pattern.StartsWith("**/", StringComparison.Ordinal)
            ? path.Split(Path.DirectorySeparatorChar).Contains(pattern[3..])
            : path == pattern || path.StartsWith(pattern + Path.DirectorySeparatorChar, StringComparison.Ordinal);
        return _ignored.LastOrDefault(pattern => Matches(pattern.TrimStart('!')))?[0] is not (null or '!');
    }

    [GeneratedRegex("^(?<name>[A-Z]+) (?<text>.*)$", RegexOptions.Multiline)]
    private static partial Regex Step { get; }

    private sealed record Stage(string Image, List<(string Name, string[] Words)> Steps);
}
