using Messaging.Aws.S3.Sink;
using Messaging.Aws.Sqs;
using Messaging.CloudFront;
using Messaging.CloudFront.Elasticsearch;
using Messaging.Configuration;
using Messaging.DeadLetters;
using Messaging.Hosting;
using Messaging.Http.Source;
using Messaging.Http.Web;
using Messaging.Routes;
using Messaging.ServiceBus;
using Messaging.Sinks.Directory;
using Messaging.Sinks.Memory;
using Messaging.Sockets.TcpLines;
using Messaging.Sockets.Udp;
using Messaging.Sources;
using Messaging.Sources.Channels;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Console;
using Worker.Archive;

namespace Worker.Hosting;

/// <summary>Builds the process: configuration, features, one Kestrel for the HTTP source and the health pages.</summary>
internal static class WorkerHost
{
    // Behind the drain limit: 2 s for cancelled messages, 8 s for acknowledgements and leftovers, 2 s to say what was left. The host
    // cuts nothing off.
    private static readonly TimeSpan ShutdownReserve = TimeSpan.FromSeconds(15);

    /// <summary>The sources that routes can name.</summary>
    public static IReadOnlyList<ISourceFeature> Sources()
    {
        ServiceCollection services = new();
        AddWorker(services);
        using ServiceProvider provider = services.BuildServiceProvider();
        return [.. provider.GetServices<ISourceFeature>()];
    }

    /// <summary>Reads and checks the configuration without opening anything.</summary>
    public static WorkerPlan Plan(IConfiguration configuration)
    {
        ServiceCollection services = new();
        services.AddSingleton(configuration);
        services.AddLogging();
        AddWorker(services);
        using ServiceProvider provider = services.BuildServiceProvider();
        return provider.GetRequiredService<WorkerPlan>();
    }

    /// <summary>Builds the host; nothing runs yet.</summary>
    /// <exception cref="ConfigurationException">The configuration is wrong; carries every problem.</exception>
    public static WebApplication Build(IConfiguration configuration, Action<ILoggingBuilder>? configureLogging = null)
    {
        WorkerPlan plan = Plan(configuration);
        if (plan.Errors.Count > 0)
        {
            throw new ConfigurationException(plan.Errors);
        }

        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions { ApplicationName = "Worker" });
        builder.Configuration.AddConfiguration(configuration);
        ConfigureLogging(builder.Logging, configuration);
        configureLogging?.Invoke(builder.Logging);
        builder.Services.AddRouting();
        AddWorker(builder.Services);
        builder.Services.Configure<HostOptions>(options =>
        {
            options.ShutdownTimeout = plan.Hosting.DrainTimeout + ShutdownReserve;

            // Kestrel waits for answers that the draining routes produce: both must stop at the same time.
            options.ServicesStopConcurrently = true;
        });
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel =>
        {
            kestrel.AddServerHeader = false;
            kestrel.Limits.RequestHeadersTimeout = plan.Hosting.FirstRequestTimeout;
            kestrel.Listen(plan.Hosting.Address, plan.Hosting.Url.Port, Count);
        });
        builder.Services.AddSingleton(plan.Hosting);
        builder.Services.AddSingleton<HttpConnections>();
        builder.Services.AddSingleton<AllowedHosts>();
        builder.Services.AddSingleton<RequestGate>();

        WebApplication app = builder.Build();
        RequestGate gate = app.Services.GetRequiredService<RequestGate>();
        app.Use(next => context => gate.InvokeAsync(context, next));
        app.UseUnknownPath();
        app.MapHealth();
        app.MapMessages();
        return app;
    }

    private static void AddWorker(IServiceCollection services) => services
        .AddMessageWorker()
        .AddChannelSource()
        .AddHttpSource()
        .AddSqsSource()
        .AddUdpSource()
        .AddTcpLinesSource()
        .AddServiceBusSource()
        .AddArchiveHandler()
        .AddCloudFrontHandler()
        .AddDirectorySink()
        .AddS3Sink()
        .AddMemorySink()
        .AddElasticsearchSink()
        .AddDirectoryDeadLetters();

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

    private static void Count(ListenOptions endpoint)
    {
        HttpConnections connections = endpoint.ApplicationServices.GetRequiredService<HttpConnections>();
        endpoint.Use(next => connection => connections.ServeAsync(connection, next));
    }
}
