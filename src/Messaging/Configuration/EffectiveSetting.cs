using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Configuration.CommandLine;
using Microsoft.Extensions.Configuration.EnvironmentVariables;
using Microsoft.Extensions.Configuration.Json;

namespace Quayside.Messaging.Configuration;

/// <summary>One configuration key with the value in effect.</summary>
/// <param name="Key">The full key.</param>
/// <param name="Value">The value as text; <c>***</c> for a secret that is set.</param>
/// <param name="IsDefault">True when it is the default, whether or not something sets it.</param>
/// <param name="Description">What it is.</param>
internal sealed record EffectiveSetting(string Key, string Value, bool IsDefault, string Description);

/// <summary>A value and the configuration key that sets it, so that errors can name the key.</summary>
/// <param name="Key">The full key without a route, such as <c>Sources:Channel:Capacity</c>.</param>
/// <param name="Value">The value in effect.</param>
public readonly record struct SettingValue<T>(string Key, T Value);

/// <summary>A setting whose value does not fit, and the values that would.</summary>
/// <param name="Key">The full key without a route.</param>
/// <param name="Value">The value in effect.</param>
/// <param name="Allowed">The values that fit, such as <c>Full</c>.</param>
internal sealed record SettingChoice(string Key, string Value, string Allowed);

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
