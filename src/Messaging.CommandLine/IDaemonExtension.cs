using System.CommandLine;
using Messaging.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;

namespace Messaging.CommandLine;

/// <summary>Adds options to the default command, and code that runs with the worker. Called by one thread.</summary>
public interface IDaemonExtension
{
    /// <summary>The options that it adds.</summary>
    IReadOnlyList<Option> Options { get; }

    /// <summary>Called before anything is built. May set keys of the configuration.</summary>
    /// <exception cref="StartupException">The options contradict each other.</exception>
    void Prepare(ParseResult parsed, IConfigurationRoot configuration);

    /// <summary>Called when the worker has started. The worker then runs until a signal or <see cref="IHostApplicationLifetime.StopApplication"/>.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="host">The running worker.</param>
    /// <param name="stopping">Cancelled when the worker begins to stop.</param>
    /// <returns>False when work is incomplete: the process then ends with <see cref="ExitCodes.Incomplete"/>.</returns>
    Task<bool> RunAsync(ParseResult parsed, IHost host, CancellationToken stopping);
}
