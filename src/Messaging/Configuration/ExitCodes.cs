namespace Messaging.Configuration;

/// <summary>Process exit codes, after sysexits.h.</summary>
public static class ExitCodes
{
    /// <summary>The command succeeded.</summary>
    public const int Success = 0;

    /// <summary>The command ran but did not finish its work: a drain that timed out, a demo with failures, a report that could not be written.</summary>
    public const int Incomplete = 1;

    /// <summary>EX_USAGE: the command line is wrong.</summary>
    public const int Usage = 64;

    /// <summary>EX_UNAVAILABLE: a queue or bucket is missing, or the port is in use.</summary>
    public const int Unavailable = 69;

    /// <summary>EX_SOFTWARE: a defect in the worker, or an exception while the program adds its features.</summary>
    public const int Software = 70;

    /// <summary>EX_NOPERM: credentials are missing or refused.</summary>
    public const int NoPermission = 77;

    /// <summary>EX_CONFIG: the configuration is wrong.</summary>
    public const int Configuration = 78;
}

/// <summary>The worker cannot run as configured. The message is one line for the operator: what is wrong, where, and what to do.</summary>
public sealed class StartupException(string message, int exitCode = ExitCodes.Unavailable, Exception? innerException = null)
    : Exception(message, innerException)
{
    /// <summary>The process's exit code (sysexits.h).</summary>
    public int ExitCode { get; } = exitCode;
}
