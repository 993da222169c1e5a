using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace Benchmarks;

/// <summary>Runs suites with BenchmarkDotNet's own command line.</summary>
internal static class SuiteRunner
{
    // sysexits.h, as in the worker and the harness.
    private const int UsageError = 64;

    /// <param name="suites">The suites to choose from.</param>
    /// <param name="options">BenchmarkDotNet's options.</param>
    /// <param name="config">How to run them.</param>
    /// <param name="verb">The command that was called, for messages.</param>
    /// <param name="project">The project of the suites.</param>
    /// <returns>0; 1 when a benchmark failed; 64 when nothing ran.</returns>
    public static int Run(Type[] suites, IReadOnlyList<string> options, IConfig config, string verb, string project = "benchmarks/Benchmarks.csproj")
    {
        if (!File.Exists(project) && !File.Exists(Path.GetFileName(project)))
        {
            Console.Error.WriteLine($"error: BenchmarkDotNet builds a project around the suites and looks for {project} here; run from the repository's root.");
            return UsageError;
        }

        if (options.Count == 0)
        {
            Console.Error.WriteLine(
                $"error: name the suites: {verb} --filter '*' for all, --filter '*{suites[0].Name}*' for some, --list flat for their names.");
            return UsageError;
        }

        // For the project that BenchmarkDotNet generates: it lacks the shared framework, which provides the versions that MassTransit's
        // dependencies disagree about. MSBuild reads properties from the environment.
        Environment.SetEnvironmentVariable("NoWarn", "NU1605;NU1603");
        Summary[] summaries = [.. BenchmarkSwitcher.FromTypes(suites).Run([.. options], config)];
        if (summaries.Length == 0 && !options.Contains("--list") && !options.Contains("--help"))
        {
            Console.Error.WriteLine($"error: no suite ran; {verb} --list flat names the suites.");
            return UsageError;
        }

        return summaries.Any(summary => summary.HasCriticalValidationErrors || summary.Reports.Any(report => !report.Success)) ? 1 : 0;
    }
}
