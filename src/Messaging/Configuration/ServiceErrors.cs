using System.Text.RegularExpressions;

namespace Messaging.Configuration;

/// <summary>Explains why the container cannot create something: names the service, and says what to register.</summary>
public static partial class ServiceErrors
{
    private const string Key = "Services";

    /// <summary>The problems that building a container with validation reports, one per service that cannot be created.</summary>
    /// <param name="exception">What building the container threw.</param>
    public static ConfigurationException Read(AggregateException exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        return new ConfigurationException([.. exception.Flatten().InnerExceptions.Select(inner => Describe(inner.InnerException ?? inner)).Distinct(StringComparer.Ordinal).Select(problem => new ConfigurationError(Key, Value: null, problem))]);
    }

    /// <summary>The exception's message, and what to do where it is about a service.</summary>
    public static string Describe(Exception exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        string message = Telemetry.UntrustedText.MessageOf(exception);
        if (exception is not InvalidOperationException)
        {
            return $"{message.TrimEnd('.')} ({exception.GetType().Name}).";
        }

        return Missing.Match(message) is { Success: true } missing ? $"{message} Register it: worker.Services.AddSingleton<{missing.Groups["type"].Value}>(), or with AddScoped for a scoped handler."
            : message.Contains("scoped service", StringComparison.Ordinal) ? $"{message} Register what takes it as scoped, too, and add the handler with AddScopedHandler or AddScopedBatchHandler; or take an IServiceScopeFactory, and make a scope for each message."
            : message;
    }

    // The container's texts are not localised.
    [GeneratedRegex("""Unable to resolve service for type '(?<type>[^']+)'|No service for type '(?<type>[^']+)'""")]
    private static partial Regex Missing { get; }
}
