using System.Text.RegularExpressions;

namespace Quayside.Messaging.Configuration;

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

/// <summary>
/// The worker cannot run as configured. The message is one line for the operator: what is wrong, where, and what to do. What may be a secret in it is masked.
/// </summary>
public sealed class StartupException(string message, int exitCode = ExitCodes.Unavailable, Exception? innerException = null)
    : Exception(SettingText.MaskWords(message), innerException)
{
    /// <summary>The process's exit code (sysexits.h).</summary>
    public int ExitCode { get; } = exitCode;
}

/// <summary>Explains why the container cannot create something: names the service, and says what to register.</summary>
internal static partial class ServiceErrors
{
    private const string Key = "Services";
    private const string Circle = "A circular dependency";

    /// <summary>The problems that building a container with validation reports, one per service that cannot be created.</summary>
    /// <param name="exception">What building the container threw.</param>
    public static ConfigurationException Read(AggregateException exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        return new ConfigurationException([.. exception.Flatten().InnerExceptions.Select(inner => Describe(inner.InnerException ?? inner))
            .DistinctBy(MembersOf, StringComparer.Ordinal)
            .Select(problem => new ConfigurationError(Key, Value: null, problem))]);
    }

    // Each member of a circle reports it, beginning with itself.
    private static string MembersOf(string problem) => problem.StartsWith(Circle, StringComparison.Ordinal)
        ? string.Join(' ', problem.Split(' ').Order(StringComparer.Ordinal).Distinct())
        : problem;

    /// <summary>The exception's message, and what to do where it is about a service.</summary>
    public static string Describe(Exception exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        string message = Telemetry.UntrustedText.MessageOf(exception).ReplaceLineEndings(" ");
        if (exception is not InvalidOperationException)
        {
            return $"{message.TrimEnd('.')} ({exception.GetType().Name}).";
        }

        return Missing.Match(message) is { Success: true } missing
            ? $"{message} Register it: worker.Services.AddSingleton<{missing.Groups["type"].Value}>(), or with AddScoped for a scoped handler."
                : message.Contains("scoped service", StringComparison.Ordinal)
                ? $"{message} Register what takes it as scoped, too, and add the handler with AddScopedHandler or AddScopedBatchHandler; or take an "
                    + "IServiceScopeFactory, and make a scope for each message."
                : message;
    }

    // The container's texts are not localised.
    [GeneratedRegex("""Unable to resolve service for type '(?<type>[^']+)'|No service for type '(?<type>[^']+)'""")]
    private static partial Regex Missing { get; }
}
