using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.CommandLine.Telemetry;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;

namespace Quayside.Messaging.CommandLine;

/// <summary>Runs a message worker as a program: the daemon, or <c>validate</c>, <c>explain</c>, <c>status</c>, <c>publish</c>, <c>redrive</c>.</summary>
public static class WorkerApp
{
    /// <summary>
    /// Runs one command; the only call that a program's Main needs. Handles the signals of the process, and uses its standard output and error. Errors
    /// are written to standard error and become the exit code; no exception is thrown. As a Windows service it runs in the program's folder, is stopped by the
    /// service control manager, and writes errors to the event log.
    /// </summary>
    /// <param name="args">The command line.</param>
    /// <param name="configure">Adds the worker's features, such as <c>worker => worker.AddSqs().AddS3()</c>. Called once.</param>
    /// <returns>The process's exit code, one of <see cref="ExitCodes"/>.</returns>
    public static Task<int> RunAsync(string[] args, Action<IMessageWorkerBuilder> configure)
    {
        ArgumentNullException.ThrowIfNull(args);
        ArgumentNullException.ThrowIfNull(configure);

        // First, so that a signal during the start does not end the process halfway.
        ShutdownSignals.Process.Install();
        TolerantWriter.Install();
        return WindowsService.RunAsync(() => WorkerCommandLine.RunAsync(args, configure));
    }

    /// <summary>Builds the host of the default command, with its logs on the console, without starting it. The caller starts and disposes it.</summary>
    /// <param name="definition">The worker; a definition belongs to one host.</param>
    /// <param name="configuration">Its configuration, such as <see cref="WorkerConfiguration.Build"/> reads.</param>
    /// <param name="configureLogging">Adds to the logging; null for nothing.</param>
    /// <exception cref="ConfigurationException">The configuration is invalid, or a service cannot be created; lists every problem.</exception>
    internal static IHost CreateHost(WorkerDefinition definition, IConfiguration configuration, Action<ILoggingBuilder>? configureLogging = null)
    {
        ArgumentNullException.ThrowIfNull(definition);
        ArgumentNullException.ThrowIfNull(configuration);
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { ApplicationName = "Worker" });
        builder.Configuration.AddConfiguration(configuration);
        WindowsService.LimitEventLog(builder.Logging);
        ConsoleLogging.Configure(builder.Logging, configuration);
        configureLogging?.Invoke(builder.Logging);
        builder.AddMessageWorker(definition);
        WindowsService.AddTo(builder);
        builder.Services.AddHostedService<OtlpExport>();

        // A missing service, or a scoped one that all messages would share, is reported now, and not by the message that first needs it.
        builder.ConfigureContainer(new DefaultServiceProviderFactory(new ServiceProviderOptions { ValidateOnBuild = true, ValidateScopes = true }));
        try
        {
            return builder.Build();
        }
        catch (AggregateException exception)
        {
            throw ServiceErrors.Read(exception);
        }
    }
}
