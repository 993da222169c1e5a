using System.Text.RegularExpressions;
using Integration.Tests.Servers;

namespace Integration.Tests.Packages;

/// <summary>The samples, built outside the repository from the packages, pass the contracts against real servers and lose nothing when killed.</summary>
[Collection(PackageCollection.Name)]
public sealed partial class SamplesTests(PackedPackages packages)
{
    // 6 rules for each of two handlers, two of the archive, and the kill test.
    private const int MinTests = 15;

    [Fact]
    public async Task Samples_FromThePackagesAlone_PassTheirTestsAgainstRealServers()
    {
        RequireServers();
        using NewcomerFolder folder = new(packages);
        CopySamples(folder.Combine("samples"));

        await DotnetCommand.RunAsync(folder.Path, "build", "samples/Tests", "-v", "quiet", "-o", "out", $"-p:QuaysideVersion={packages.Version}");
        string output = await DotnetCommand.RunAsync(folder.Path, folder.Combine("out", "Tests.dll"), "-noLogo", "-noColor");

        Match totals = Totals.Match(output);
        int.Parse(totals.Groups["total"].Value).ShouldBeGreaterThanOrEqualTo(MinTests, output);
        totals.Groups["bad"].Value.ShouldBe("Errors: 0, Failed: 0, Skipped: 0", output);
    }

    [GeneratedRegex("Total: (?<total>[0-9]+), (?<bad>Errors: [0-9]+, Failed: [0-9]+, Skipped: [0-9]+)")]
    private static partial Regex Totals { get; }

    private static void RequireServers()
    {
        foreach ((string variable, string script) in ((string, string)[])[("RABBITMQ_URL", "rabbitmq"), ("POSTGRES_CONNECTION", "postgres")])
        {
            if (string.IsNullOrEmpty(Environment.GetEnvironmentVariable(variable)))
            {
                RequiredServers.Missing($"No {script}: set {variable}; `export $(tests/servers/{script} up /tmp/{script})` starts one and sets it.");
            }
        }
    }

    /// <summary>Copies without build output and without the package source configuration, because the folder has its own.</summary>
    private static void CopySamples(string target)
    {
        string source = RepositoryFolder.Combine("samples");
        foreach (string file in Directory.EnumerateFiles(source, "*", SearchOption.AllDirectories))
        {
            string relative = Path.GetRelativePath(source, file);
            if (relative == "nuget.config" || relative.Split(Path.DirectorySeparatorChar) is [_, "bin" or "obj", ..])
            {
                continue;
            }

            string copy = Path.Combine(target, relative);
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            File.Copy(file, copy);
        }
    }
}
