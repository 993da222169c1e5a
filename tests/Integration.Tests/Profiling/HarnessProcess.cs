using System.Diagnostics;
using System.Text.Json;
using Integration.Tests.Processes;

namespace Integration.Tests.Profiling;

/// <summary>The harness as users run it: <c>dotnet Harness.dll …</c>, in memory, from the build of these tests.</summary>
internal sealed class HarnessProcess : CapturedProcess
{
    private readonly string _temporary;

    private HarnessProcess(ProcessStartInfo startInfo, bool pressEnter) : base(startInfo)
    {
        _temporary = startInfo.Environment["TMPDIR"]!;
        if (pressEnter)
        {
            // At the end of the input every stop continues immediately.
            CloseInput();
        }
    }

    /// <param name="arguments">Its options and configuration keys.</param>
    /// <param name="pressEnter">True to continue at every stop.</param>
    /// <param name="source">The source.</param>
    /// <param name="environment">Environment variables in addition to this process's own.</param>
    /// <param name="runtimeConfig">Another runtimeconfig.json than that of the build; null for that.</param>
    public static HarnessProcess Start(
        IEnumerable<string> arguments, bool pressEnter = true, string source = "channel", IEnumerable<KeyValuePair<string, string>>? environment = null,
        string? runtimeConfig = null)
    {
        string host = Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet";
        string[] settings = runtimeConfig is null ? [] : ["exec", "--runtimeconfig", runtimeConfig];
        var startInfo = new ProcessStartInfo(
            host, [.. settings, Path.Combine(AppContext.BaseDirectory, "Harness.dll"), "--source", source, "--sink", "memory", .. arguments]);

        startInfo.Environment["DOTNET_TieredPGO"] = "0";
        foreach ((string name, string value) in environment ?? [])
        {
            startInfo.Environment[name] = value;
        }

        // As on a machine with diagnostics disabled; the harness needs them in the process that it measures.
        startInfo.Environment["DOTNET_EnableDiagnostics"] = "0";

        // A killed process leaves its sockets in this folder.
        startInfo.Environment["TMPDIR"] = Directory.CreateTempSubdirectory("harness-").FullName;
        return new HarnessProcess(startInfo, pressEnter);
    }

    /// <summary>Waits for exit code 0 and reads the line of JSON.</summary>
    public static async Task<JsonElement> ReportAsync(params IEnumerable<string> arguments)
    {
        await using HarnessProcess harness = Start([.. arguments, "--json"]);
        int exitCode = await harness.WaitForExitAsync();
        exitCode.ShouldBe(0, harness.Output.Describe());
        return JsonSerializer.Deserialize<JsonElement>(harness.Output.Snapshot().Last(line => !line.IsError).Text);
    }

    protected override ValueTask CleanUpAsync()
    {
        Directory.Delete(_temporary, recursive: true);
        return ValueTask.CompletedTask;
    }
}
