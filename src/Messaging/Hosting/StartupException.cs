namespace Messaging.Hosting;

/// <summary>The worker cannot run as configured. The message is the one line an operator needs: what, where, what to do.</summary>
public sealed class StartupException(string message, int exitCode = ExitCodes.Unavailable, Exception? innerException = null)
    : Exception(message, innerException)
{
    /// <summary>The process's exit code (sysexits.h).</summary>
    public int ExitCode { get; } = exitCode;
}
