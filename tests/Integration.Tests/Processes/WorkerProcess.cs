using System.Diagnostics;

namespace Integration.Tests.Processes;

/// <summary>
/// The worker as users run it: <c>dotnet Worker.dll …</c>, from the build of these tests, or the program that <c>WORKER_EXECUTABLE</c> names, such as
/// a native one. It sees the given environment and, of the test process's own, only what .NET needs, so no credential or setting of the machine leaks in.
/// </summary>
internal sealed class WorkerProcess : CapturedProcess
{
    private static readonly string[] InheritedVariables = ["PATH", "HOME", "TMPDIR", "LANG", "DOTNET_ROOT", "DOTNET_ROOT_X64", "DOTNET_ROOT_ARM64"];

    private static readonly string? Executable = Environment.GetEnvironmentVariable("WORKER_EXECUTABLE") is { Length: > 0 } file ? file : null;

    private readonly bool _ownsWorkingDirectory;

    private WorkerProcess(ProcessStartInfo startInfo, bool ownsWorkingDirectory) : base(startInfo)
    {
        _ownsWorkingDirectory = ownsWorkingDirectory;
        WorkingDirectory = startInfo.WorkingDirectory;
        CloseInput();
    }

    /// <summary>True where the worker under test is <c>WORKER_EXECUTABLE</c>.</summary>
    public static bool IsNative => Executable is not null;

    /// <summary>The base of the worker's relative paths (<c>./data</c>).</summary>
    public string WorkingDirectory { get; }

    /// <param name="arguments">The worker's command line.</param>
    /// <param name="environment">Its configuration, such as <c>AwsEndpoint.ToEnvironment()</c>.</param>
    /// <param name="workingDirectory">A folder that outlives the process, for a restart on the same data; by default a new one, deleted at the end.</param>
    /// <param name="launcher">A command that execs the worker, such as a shell that closes a descriptor first; the worker's command line is appended to
    /// it.</param>
    /// <param name="assembly">A program other than the daemon; null for the daemon.</param>
    public static WorkerProcess Start(
        IEnumerable<string> arguments, IEnumerable<KeyValuePair<string, string>>? environment = null, string? workingDirectory = null,
        IReadOnlyList<string>? launcher = null, string? assembly = null)
    {
        bool ownsWorkingDirectory = workingDirectory is null;
        string[] command = [.. launcher ?? [], .. assembly is null ? Daemon() : [Dotnet, assembly], .. arguments];
        var startInfo = new ProcessStartInfo(command[0], command[1..])
        {
            WorkingDirectory = workingDirectory ?? Directory.CreateTempSubdirectory("worker-").FullName,
        };
        startInfo.Environment.Clear();
        foreach (string name in InheritedVariables)
        {
            if (Environment.GetEnvironmentVariable(name) is { } value)
            {
                startInfo.Environment[name] = value;
            }
        }

        startInfo.Environment["DOTNET_NOLOGO"] = "1";
        // Otherwise a killed process leaves its diagnostics socket in the temporary folder.
        startInfo.Environment["DOTNET_EnableDiagnostics"] = "0";
        // As in the tests themselves: it lives for a second.
        startInfo.Environment["DOTNET_TieredPGO"] = "0";
        // Without credentials the SDK would ask the metadata address of a cloud machine, and wait.
        startInfo.Environment["AWS_EC2_METADATA_DISABLED"] = "true";
        foreach ((string name, string value) in environment ?? [])
        {
            startInfo.Environment[name] = value;
        }

        return new WorkerProcess(startInfo, ownsWorkingDirectory);
    }

    protected override ValueTask CleanUpAsync()
    {
        if (_ownsWorkingDirectory)
        {
            Directory.Delete(WorkingDirectory, recursive: true);
        }

        return ValueTask.CompletedTask;
    }

    private static string Dotnet => Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet";

    /// <summary>The command that runs the daemon; its arguments follow.</summary>
    /// <exception cref="FileNotFoundException">It is not built.</exception>
    public static IReadOnlyList<string> Daemon() => Executable switch
    {
        null => [Dotnet, LocateAssembly()],
        { } file when File.Exists(file) => [Path.GetFullPath(file)],
        { } file => throw new FileNotFoundException("WORKER_EXECUTABLE names no file.", file),
    };

    /// <summary>The project reference copies the worker, with everything it needs to run, into the tests' folder.</summary>
    private static string LocateAssembly()
    {
        string assembly = Path.Combine(AppContext.BaseDirectory, "Worker.dll");
        foreach (string file in (ReadOnlySpan<string>)[
            assembly, Path.ChangeExtension(assembly, ".runtimeconfig.json"), Path.ChangeExtension(assembly, ".deps.json")])
        {
            if (!File.Exists(file))
            {
                throw new FileNotFoundException("The worker is not built beside the tests.", file);
            }
        }

        return assembly;
    }
}
