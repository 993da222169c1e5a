using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Console;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.CommandLine;

/// <summary>The daemon's logs: lines on the console. The section <c>Logging</c> overrides the values set here.</summary>
internal static class ConsoleLogging
{
    private const string Section = "Logging";

    public static void Configure(ILoggingBuilder logging, IConfiguration configuration)
    {
        CheckLevels(configuration);
        logging.AddConfiguration(configuration.GetSection(Section));

        // The command line itself reports startup errors, once and without a stack trace.
        logging.AddFilter("Microsoft.Extensions.Hosting.Internal.Host", LogLevel.None);

        // Before AddConsole, so that Logging:Console overrides these values.
        logging.Services.Configure<ConsoleLoggerOptions>(console =>
        {
            // Without a name the provider uses its obsolete options and ignores those of the formatter.
            console.FormatterName = ConsoleFormatterNames.Simple;

            // If nothing reads the output, lines are dropped, and the next line written reports their number. Waiting would stop the worker.
            console.QueueFullMode = ConsoleLoggerQueueFullMode.DropWrite;
        });
        logging.Services.Configure<SimpleConsoleFormatterOptions>(console =>
        {
            console.SingleLine = true;
            SetTimestamp(console);
        });
        logging.Services.Configure<JsonConsoleFormatterOptions>(console =>
        {
            SetTimestamp(console);

            // TraceId and SpanId of lines that are logged within a span.
            console.IncludeScopes = true;
        });
        logging.Services.Configure<LoggerFactoryOptions>(factory => factory.ActivityTrackingOptions = ActivityTrackingOptions.TraceId | ActivityTrackingOptions.SpanId);
        logging.AddConsole();
    }

    /// <exception cref="ConfigurationException">A level has another name; .NET's own message does not name the key.</exception>
    private static void CheckLevels(IConfiguration configuration)
    {
        ConfigurationError[] wrong = [.. configuration.GetSection(Section).AsEnumerable()
            .Where(setting => setting.Key.Contains(":LogLevel:", StringComparison.OrdinalIgnoreCase) && !string.IsNullOrEmpty(setting.Value) && !Enum.TryParse<LogLevel>(setting.Value, ignoreCase: true, out _))
            .Select(setting => new ConfigurationError(setting.Key, setting.Value, $"must be one of {string.Join(", ", Enum.GetNames<LogLevel>())}."))];
        if (wrong.Length > 0)
        {
            throw new ConfigurationException(wrong);
        }
    }

    private static void SetTimestamp(ConsoleFormatterOptions console)
    {
        console.UseUtcTimestamp = true;
        console.TimestampFormat = "yyyy-MM-dd'T'HH:mm:ss.fff'Z' ";
    }
}
