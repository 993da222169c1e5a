using Integration.Tests.Processes;

namespace Integration.Tests.Worker;

/// <summary>A run of the worker that ends by itself: a command, or a daemon that cannot start.</summary>
/// <param name="Text">The lines of standard output and standard error together.</param>
/// <param name="Error">Standard error only.</param>
internal sealed record WorkerCommand(int ExitCode, string Text, string Error)
{
    public static Task<WorkerCommand> RunAsync(params string[] arguments) => RunAsync(arguments, environment: null);

    public static async Task<WorkerCommand> RunAsync(
        IEnumerable<string> arguments, IEnumerable<KeyValuePair<string, string>>? environment, string? workingDirectory = null,
        IReadOnlyList<string>? launcher = null)
    {
        await using WorkerProcess process = WorkerProcess.Start(arguments, environment, workingDirectory, launcher);
        return await CaptureAsync(process);
    }

    /// <summary>Standard output only.</summary>
    public string Output { get; private init; } = string.Empty;

    /// <summary>Waits for a process that ends by itself.</summary>
    public static async Task<WorkerCommand> CaptureAsync(WorkerProcess process)
    {
        int exitCode = await process.WaitForExitAsync();
        CapturedLine[] lines = process.Output.Snapshot();
        return new WorkerCommand(
            exitCode, string.Join('\n', lines.Select(line => line.Text)), string.Join('\n', lines.Where(line => line.IsError).Select(line => line.Text)))
        {
            Output = string.Join('\n', lines.Where(line => !line.IsError).Select(line => line.Text)),
        };
    }

    /// <summary>Asserts that the output has no stack trace.</summary>
    public WorkerCommand ShouldHaveNoStackTrace()
    {
        Text.ShouldNotContain("   at ");
        Text.ShouldNotContain("Unhandled exception");
        return this;
    }
}
