using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Configuration.CommandLine;
using Microsoft.Extensions.Configuration.EnvironmentVariables;
using Microsoft.Extensions.Configuration.Json;

namespace Messaging.Configuration;

/// <summary>Names the origin of configuration values, for people.</summary>
internal static class ConfigurationOrigin
{
    /// <summary>The providers in order of rising precedence, including those of chained configurations.</summary>
    public static IEnumerable<IConfigurationProvider> ProvidersOf(IConfiguration configuration) => configuration is IConfigurationRoot root
        ? root.Providers.SelectMany(provider => provider is ChainedConfigurationProvider chained ? ProvidersOf(chained.Configuration) : [provider])
        : [];

    /// <summary>True when every key of a provider is meant for the worker: files and the command line, not the environment.</summary>
    public static bool IsOurs(IConfigurationProvider provider) => provider is JsonConfigurationProvider or CommandLineConfigurationProvider;

    /// <summary>A file's path, or what the provider reads.</summary>
    public static string Describe(IConfigurationProvider provider) => provider switch
    {
        FileConfigurationProvider { Source: { Path: { } path } source } => source.FileProvider?.GetFileInfo(path).PhysicalPath ?? path,
        EnvironmentVariablesConfigurationProvider => "the environment",
        CommandLineConfigurationProvider => "the command line",
        _ => provider.GetType().Name,
    };
}
