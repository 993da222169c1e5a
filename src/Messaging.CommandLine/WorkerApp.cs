using Messaging.Configuration;
using Messaging.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Messaging.CommandLine;

/// <summary>A message worker as a program: the daemon, and the commands around it (<c>validate</c>, <c>explain</c>, <c>publish</c>, <c>redrive</c>).</summary>
public static class WorkerApp
{
    /// <summary>
    /// Runs one command; the whole of a program's Main. Takes SIGTERM and SIGINT of the process, and its standard output and error. Errors
    /// are written to standard error and become the exit code; no exception leaves the call.
    /// </summary>
    /// <param name="args">The command line.</param>
    /// <param name="configure">Adds the worker's features, such as <c>worker => worker.AddSqs().AddS3()</c>. Called once.</param>
    /// <returns>The process's exit code, one of <see cref="ExitCodes"/>.</returns>
    public static Task<int> RunAsync(string[] args, Action<IMessageWorkerBuilder> configure)
    {
        ArgumentNullException.ThrowIfNull(args);
        ArgumentNullException.ThrowIfNull(configure);

        // First: a signal during the start is not to end the process halfway.
        ShutdownSignals.Process.Install();
        TolerantWriter.Install();
        return WorkerCommandLine.RunAsync(args, configure);
    }

    /// <summary>Builds the host that the default command runs, with its logs on the console; nothing runs yet. The caller starts and disposes it.</summary>
    /// <param name="definition">The worker; a definition belongs to one host.</param>
    /// <param name="configuration">Its configuration, such as <see cref="WorkerConfiguration.Build"/> reads.</param>
    /// <param name="configureLogging">Adds to the logging; null for nothing.</param>
    /// <exception cref="ConfigurationException">The configuration is wrong; carries every problem.</exception>
    public static IHost CreateHost(WorkerDefinition definition, IConfiguration configuration, Action<ILoggingBuilder>? configureLogging = null)
    {
        ArgumentNullException.ThrowIfNull(definition);
        ArgumentNullException.ThrowIfNull(configuration);
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { ApplicationName = "Worker" });
        builder.Configuration.AddConfiguration(configuration);
        ConsoleLogging.Configure(builder.Logging, configuration);
        configureLogging?.Invoke(builder.Logging);
        builder.AddMessageWorker(definition);
        return builder.Build();
    }
}
