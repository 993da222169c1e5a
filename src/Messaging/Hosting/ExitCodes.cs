namespace Messaging.Hosting;

/// <summary>Process exit codes, after sysexits.h.</summary>
public static class ExitCodes
{
    /// <summary>Everything asked for was done.</summary>
    public const int Success = 0;

    /// <summary>Ran, but something was left undone: a drain that ended at its limit, a demo with failures.</summary>
    public const int Incomplete = 1;

    /// <summary>EX_USAGE: the command line is wrong.</summary>
    public const int Usage = 64;

    /// <summary>EX_UNAVAILABLE: a queue or bucket is missing, or the port is taken.</summary>
    public const int Unavailable = 69;

    /// <summary>EX_SOFTWARE: a defect in the worker, or an exception while the program adds its features.</summary>
    public const int Software = 70;

    /// <summary>EX_NOPERM: credentials are missing or refused.</summary>
    public const int NoPermission = 77;

    /// <summary>EX_CONFIG: the configuration is wrong.</summary>
    public const int Configuration = 78;
}
