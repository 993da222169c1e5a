using Messaging.Aws;
using Messaging.CloudFront;
using Messaging.Configuration;
using Messaging.Hosting;
using Messaging.Http;
using Messaging.Routes;
using Messaging.ServiceBus;
using Messaging.Sockets;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Console;
using Worker.Archive;

namespace Worker.Hosting;

/// <summary>Builds the process: configuration, logging, features.</summary>
internal static class WorkerHost
{
    /// <summary>Reads and checks the configuration without opening anything.</summary>
    public static WorkerPlan Plan(IConfiguration configuration) => new WorkerPlanner(configuration, Features()).Plan();

    /// <summary>What the worker is made of.</summary>
    public static WorkerFeatures Features()
    {
        MessageWorkerBuilder worker = new(new ServiceCollection());
        AddFeatures(worker);
        return worker.Features;
    }

    /// <summary>Builds the host; nothing runs yet.</summary>
    /// <exception cref="ConfigurationException">The configuration is wrong; carries every problem.</exception>
    public static IHost Build(IConfiguration configuration, Action<ILoggingBuilder>? configureLogging = null)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { ApplicationName = "Worker" });
        builder.Configuration.AddConfiguration(configuration);
        ConfigureLogging(builder.Logging, configuration);
        configureLogging?.Invoke(builder.Logging);
        builder.AddMessageWorker(AddFeatures);
        return builder.Build();
    }

    private static void AddFeatures(IMessageWorkerBuilder worker) => worker
        .AddHttp()
        .AddSqs()
        .AddUdp()
        .AddTcpLines()
        .AddServiceBus(ServiceBusBuild.Connector)
        .AddArchive()
        .AddCloudFront()
        .AddS3()
        .AddElasticsearch();

    private static void ConfigureLogging(ILoggingBuilder logging, IConfiguration configuration)
    {
        logging.AddConfiguration(configuration.GetSection("Logging"));
        // What keeps the worker from starting is told by the command line, once and without a stack trace.
        logging.AddFilter("Microsoft.Extensions.Hosting.Internal.Host", LogLevel.None);

        // Before AddConsole, so that the keys of Logging:Console win over what is set here.
        logging.Services.Configure<ConsoleLoggerOptions>(console =>
        {
            // Without a name the provider takes its obsolete options, and the formatter's own have no effect.
            console.FormatterName = ConsoleFormatterNames.Simple;

            // Where nobody takes the output, lines are dropped, and counted in the next line that gets through. To wait would stop the worker.
            console.QueueFullMode = ConsoleLoggerQueueFullMode.DropWrite;
        });
        logging.Services.Configure<SimpleConsoleFormatterOptions>(console =>
        {
            console.SingleLine = true;
            SetTimestamp(console);
        });
        logging.Services.Configure<JsonConsoleFormatterOptions>(SetTimestamp);
        logging.AddConsole();
    }

    private static void SetTimestamp(ConsoleFormatterOptions console)
    {
        console.UseUtcTimestamp = true;
        console.TimestampFormat = "yyyy-MM-dd'T'HH:mm:ss.fff'Z' ";
    }
}
