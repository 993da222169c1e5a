using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Console;

namespace Quayside.Messaging.CommandLine;

/// <summary>The daemon's logs: lines on the console. The section <c>Logging</c> overrides the values set here, also while the worker runs.</summary>
internal static class ConsoleLogging
{
    public static void Configure(ILoggingBuilder logging, IConfiguration configuration)
    {
        LoggingSettings settings = new(configuration);
        logging.AddConfiguration(new ConfigurationBuilder().Add(settings).Build().GetSection(LoggingSettings.Section));
        logging.Services.AddSingleton(settings);
        logging.Services.AddHostedService<LoggingReload>();

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
        logging.Services.Configure<LoggerFactoryOptions>(
            factory => factory.ActivityTrackingOptions = ActivityTrackingOptions.TraceId | ActivityTrackingOptions.SpanId);
        logging.AddConsole();
    }

    private static void SetTimestamp(ConsoleFormatterOptions console)
    {
        console.UseUtcTimestamp = true;
        console.TimestampFormat = "yyyy-MM-dd'T'HH:mm:ss.fff'Z' ";
    }
}
