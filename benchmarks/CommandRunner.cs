using System.CommandLine;

namespace Benchmarks;

/// <summary>Runs a command line, with the exit codes of the worker and the harness.</summary>
internal static class CommandRunner
{
    // sysexits.h
    private const int UsageError = 64;

    /// <returns>The command's exit code; 1 when it failed, 64 when the arguments are wrong.</returns>
    public static async Task<int> InvokeAsync(RootCommand root, string[] args)
    {
        ParseResult parsed = root.Parse(args);
        if (parsed.Errors.Count > 0)
        {
            Console.Error.WriteLine(
                string.Join(Environment.NewLine, parsed.Errors.Select(error => $"error: {error.Message}").Distinct(StringComparer.Ordinal)));
            return UsageError;
        }

        try
        {
            return await parsed.InvokeAsync(new InvocationConfiguration { EnableDefaultExceptionHandler = false });
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or InvalidOperationException or TimeoutException
            or HttpRequestException)
        {
            // A folder that cannot be written, or a benchmark process that failed, whose own errors are above.
            Console.Error.WriteLine($"error: {exception.Message}");
            return 1;
        }
    }
}
