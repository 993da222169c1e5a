using System.ComponentModel;
using Integration.Tests.Processes;

namespace Integration.Tests.Servers;

/// <summary>Node.js on this machine, and a folder's packages, installed exactly as its lock file pins them.</summary>
internal static class NodeRuntime
{
    private const int OldestMajor = 20;

    // An install takes 6 s with a nearby registry; longer means network trouble. Below the hang limit of a test run.
    private static readonly TimeSpan InstallLimit = TimeSpan.FromMinutes(3);
    private static readonly string Npm = OperatingSystem.IsWindows() ? "npm.cmd" : "npm";

    /// <exception cref="ServerUnavailableException">Node.js is missing or older than 20.</exception>
    public static async Task<string> LocateAsync()
    {
        string version = await RunAsync("node", ["--version"], TimeSpan.FromSeconds(30));
        return int.TryParse(version.TrimStart('v').Split('.')[0], out int major) && major >= OldestMajor
            ? "node"
            : throw new ServerUnavailableException($"Node {OldestMajor} or newer is needed for the emulators, this machine has {version}.");
    }

    /// <summary>Runs <c>npm ci</c> unless the packages of this lock file are installed; test processes run it one at a time.</summary>
    /// <exception cref="ServerUnavailableException">npm failed, for example without a network.</exception>
    public static async Task InstallPackagesAsync(string folder)
    {
        if (IsInstalled(folder))
        {
            return;
        }

        await using FileStream turn = await TakeTurnAsync(Path.Combine(folder, "obj", "install.lock"));
        if (!IsInstalled(folder))
        {
            await RunAsync(Npm, ["ci", "--prefix", folder], InstallLimit);
        }
    }

    /// <summary>
    /// As <see cref="InstallPackagesAsync"/>; skips the calling test, or fails it under <c>REQUIRE_SERVERS=1</c>, without Node or its packages.
    /// </summary>
    public static async Task RequirePackagesAsync(string folder)
    {
        try
        {
            await LocateAsync();
            await InstallPackagesAsync(folder);
        }
        catch (ServerUnavailableException exception)
        {
            RequiredServers.Missing(exception.Message);
        }
    }

    /// <summary>npm writes its hidden lock file last, so a killed installation does not count as complete.</summary>
    private static bool IsInstalled(string folder)
    {
        var installed = new FileInfo(Path.Combine(folder, "node_modules", ".package-lock.json"));
        return installed.Exists && installed.LastWriteTimeUtc >= File.GetLastWriteTimeUtc(Path.Combine(folder, "package-lock.json"));
    }

    private static async Task<FileStream> TakeTurnAsync(string path)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        using var limit = new CancellationTokenSource(InstallLimit);
        while (true)
        {
            try
            {
                return new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
            }
            catch (IOException exception)
            {
                if (limit.IsCancellationRequested)
                {
                    throw new ServerUnavailableException($"Another process holds {path}: {exception.Message}");
                }

                await Task.Delay(100);
            }
        }
    }

    private static async Task<string> RunAsync(string program, IEnumerable<string> arguments, TimeSpan limit)
    {
        try
        {
            await using CapturedProcess process = CapturedProcess.Start(program, arguments);
            int exitCode = await process.WaitForExitAsync(limit);
            return exitCode == 0
                ? process.Output.Snapshot().FirstOrDefault(line => !line.IsError).Text ?? ""
                : throw new ServerUnavailableException($"'{process.Description}' failed with exit code {exitCode}. {process.Output.Describe(20)}");
        }
        catch (Win32Exception exception)
        {
            throw new ServerUnavailableException($"the emulators need Node {OldestMajor} or newer, and '{program}' does not start: {exception.Message}");
        }
        catch (TimeoutException exception)
        {
            throw new ServerUnavailableException(exception.Message);
        }
    }
}
