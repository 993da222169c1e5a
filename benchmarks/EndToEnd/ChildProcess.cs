using System.Diagnostics;

namespace Benchmarks.EndToEnd;

/// <summary>This program once more, with another role; ends when its input is closed.</summary>
internal sealed class ChildProcess : IDisposable
{
    private static readonly TimeSpan AnswerLimit = TimeSpan.FromSeconds(60);

    private readonly Process _process;

    public ChildProcess(IEnumerable<string> arguments, params (string Name, string Value)[] environment)
    {
        ProcessStartInfo start = new(Environment.ProcessPath!) { RedirectStandardInput = true, RedirectStandardOutput = true, UseShellExecute = false };
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet")
        {
            start.ArgumentList.Add(typeof(ChildProcess).Assembly.Location);
        }

        foreach (string argument in arguments)
        {
            start.ArgumentList.Add(argument);
        }

        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }

        _process = Process.Start(start)!;
    }

    /// <summary>Reads the next line of its output.</summary>
    /// <exception cref="InvalidOperationException">It ended, or is silent.</exception>
    public async Task<string> ReadLineAsync()
    {
        string? line;
        do
        {
            line = await _process.StandardOutput.ReadLineAsync().WaitAsync(AnswerLimit);
            if (line is null)
            {
                throw new InvalidOperationException($"A process of the benchmark ended; its errors are above: {string.Join(' ', _process.StartInfo.ArgumentList)}");
            }
        }
        while (!line.StartsWith('{') && !char.IsAsciiDigit(line[0]));

        return line;
    }

    public async Task<string> AskAsync()
    {
        await _process.StandardInput.WriteLineAsync();
        await _process.StandardInput.FlushAsync();
        return await ReadLineAsync();
    }

    public void Dispose()
    {
        _process.StandardInput.Close();
        if (!_process.WaitForExit(TimeSpan.FromSeconds(2)))
        {
            _process.Kill();
            _process.WaitForExit();
        }

        _process.Dispose();
    }
}
