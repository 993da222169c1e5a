using System.Diagnostics;
using Integration.Tests.Processes;

namespace Integration.Tests.Packages;

/// <summary>
/// A command of the .NET SDK as a user runs it. Of the test process's environment it sees only the paths of tools, packages and servers; it leaves no build
/// server behind.
/// </summary>
internal sealed class DotnetCommand : CapturedProcess
{
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(15);

    private static readonly string[] InheritedVariables =
        ["PATH", "HOME", "TMPDIR", "LANG", "DOTNET_ROOT", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE",
            "SSL_CERT_DIR", "NUGET_CERT_REVOCATION_MODE", "RABBITMQ_URL", "POSTGRES_CONNECTION"];

    private DotnetCommand(ProcessStartInfo startInfo)
        : base(startInfo) => CloseInput();

    /// <summary>Runs the command to its end.</summary>
    /// <returns>Its output.</returns>
    /// <exception cref="Shouldly.ShouldAssertException">The command failed; the message holds the output.</exception>
    public static async Task<string> RunAsync(string workingDirectory, params IEnumerable<string> arguments)
    {
        ProcessStartInfo startInfo = new(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", arguments) { WorkingDirectory = workingDirectory };
        startInfo.Environment.Clear();
        foreach (string name in InheritedVariables)
        {
            if (Environment.GetEnvironmentVariable(name) is { } value)
            {
                startInfo.Environment[name] = value;
            }
        }

        startInfo.Environment["DOTNET_NOLOGO"] = "1";
        startInfo.Environment["DOTNET_CLI_TELEMETRY_OPTOUT"] = "1";
        startInfo.Environment["MSBUILDDISABLENODEREUSE"] = "1";
        startInfo.Environment["DOTNET_CLI_USE_MSBUILD_SERVER"] = "0";
        startInfo.Environment["UseSharedCompilation"] = "false";
        // Counting branches is a third of a compiler's processor time.
        startInfo.Environment["DOTNET_TieredPGO"] = "0";
        await using DotnetCommand command = new(startInfo);
        int exitCode = await command.WaitForExitAsync(Limit, TestContext.Current.CancellationToken);
        string output = string.Join('\n', command.Output.Snapshot().Select(line => line.Text));
        exitCode.ShouldBe(0, $"{command.Description}\n{output}");
        return output;
    }
}
