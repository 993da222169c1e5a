using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Console;

namespace Messaging.CommandLine;

/// <summary>The daemon's logs: lines on the console, with the section <c>Logging</c> over what is set here.</summary>
internal static class ConsoleLogging
{
    public static void Configure(ILoggingBuilder logging, IConfiguration configuration)
    {
        logging.AddConfiguration(configuration.GetSection("Logging"));

        // What keeps the worker from starting is told by the command line, once and without a stack trace.
        logging.AddFilter("Microsoft.Extensions.Hosting.Internal.Host", LogLevel.None);

        // Before AddConsole, so that the keys of Logging:Console win over what is set here.
        logging.Services.Configure<ConsoleLoggerOptions>(console =>
        {
            // Without a name the provider takes its obsolete options, and the formatter's own have no effect.
            console.FormatterName = ConsoleFormatterNames.Simple;

            // Where nothing reads the output, lines are dropped, and counted in the next line that gets through. To wait would stop the worker.
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

            // TraceId and SpanId, where the line is logged within a span.
            console.IncludeScopes = true;
        });
        logging.Services.Configure<LoggerFactoryOptions>(factory => factory.ActivityTrackingOptions = ActivityTrackingOptions.TraceId | ActivityTrackingOptions.SpanId);
        logging.AddConsole();
    }

    private static void SetTimestamp(ConsoleFormatterOptions console)
    {
        console.UseUtcTimestamp = true;
        console.TimestampFormat = "yyyy-MM-dd'T'HH:mm:ss.fff'Z' ";
    }
}
