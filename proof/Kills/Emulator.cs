using System.ComponentModel;
using System.Diagnostics;

namespace Proof.Kills;

/// <summary>An emulator of tests/servers, which runs no longer than the command.</summary>
internal sealed class Emulator : IDisposable
{
    private readonly Process _process;

    private Emulator(Process process, string ready)
    {
        _process = process;
        Ready = ready;
    }

    /// <summary>The line that it prints when it listens, with its addresses.</summary>
    public string Ready { get; }

    /// <returns>Null when it did not start.</returns>
    public static async Task<Emulator?> StartAsync(string name, CancellationToken stop)
    {
        Process process;
        try
        {
            process = Process.Start(
                new ProcessStartInfo("node", [Path.Combine("tests", "servers", name, "serve.mjs")])
                { UseShellExecute = false, RedirectStandardInput = true, RedirectStandardOutput = true })!;
        }
        catch (Win32Exception)
        {
            return null;
        }

        if (await process.StandardOutput.ReadLineAsync(stop) is { } ready)
        {
            return new Emulator(process, ready);
        }

        process.Dispose();
        return null;
    }

    /// <summary>Ends it.</summary>
    /// <returns>What it printed at its end, if anything.</returns>
    public Task<string?> StopAsync()
    {
        _process.StandardInput.Close();
        return _process.StandardOutput.ReadLineAsync();
    }

    public void Dispose()
    {
        // It ends with its input.
        _process.StandardInput.Close();
        _process.Dispose();
    }
}
