namespace Messaging.Hosting;

/// <summary>The worker cannot run as configured. The message is one line for the operator: what is wrong, where, and what to do.</summary>
public sealed class StartupException(string message, int exitCode = ExitCodes.Unavailable, Exception? innerException = null)
    : Exception(message, innerException)
{
    /// <summary>The process's exit code (sysexits.h).</summary>
    public int ExitCode { get; } = exitCode;
}
