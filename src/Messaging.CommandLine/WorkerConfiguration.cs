using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text.Json;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.FileProviders;
using Microsoft.Extensions.FileProviders.Physical;

namespace Quayside.Messaging.CommandLine;

/// <summary>
/// The sources of the configuration; later ones override earlier ones: the appsettings.json beside the program, the file of <c>--config</c>, the environment
/// (<c>Intake__Concurrency</c>), the command line (<c>--Intake:Concurrency=8</c>).
/// </summary>
internal static class WorkerConfiguration
{
    private static string SettingsFile => Path.Combine(AppContext.BaseDirectory, "appsettings.json");

    /// <summary>Reads the configuration.</summary>
    /// <param name="configFile">A further file; null for none.</param>
    /// <param name="commandLineKeys">Keys in the form <c>--Section:Key=value</c>.</param>
    /// <param name="readSettingsFile">False to ignore the appsettings.json beside the program.</param>
    /// <exception cref="ArgumentException">The name of the file is empty.</exception>
    /// <exception cref="IOException">The file is missing or cannot be read.</exception>
    /// <exception cref="InvalidDataException">A file is not JSON.</exception>
    public static IConfigurationRoot Build(string? configFile, IReadOnlyList<string> commandLineKeys, bool readSettingsFile = true)
    {
        ConfigurationBuilder builder = new();
        if (readSettingsFile)
        {
            builder.AddJsonFile(SettingsFile, optional: true, reloadOnChange: false);
        }

        if (configFile is not null)
        {
            string path = Path.GetFullPath(configFile);

            // The default provider does not see files that begin with a dot.
            builder.AddJsonFile(
                new PhysicalFileProvider(Path.GetDirectoryName(path)!, ExclusionFilters.None), Path.GetFileName(path), optional: false, reloadOnChange: false);
        }

        builder.AddEnvironmentVariables();
        builder.AddCommandLine([.. commandLineKeys]);
        return builder.Build();
    }

    /// <summary>True when a key is configured for this run: in the file of <c>--config</c>, the environment or the command line.</summary>
    /// <param name="configuration">The result of <see cref="Build"/>.</param>
    /// <param name="key">The full key.</param>
    public static bool IsConfigured(IConfigurationRoot configuration, string key) => configuration.Providers
        .Any(provider => provider.TryGet(key, out _) && !IsSettingsFile(provider));

    /// <summary>Separates unmatched command-line tokens into configuration keys and unknown tokens.</summary>
    /// <param name="tokens">Tokens that match no option.</param>
    /// <param name="keys">The tokens that are keys and their values.</param>
    /// <param name="unknown">The first token that is neither; null on success.</param>
    /// <returns>False when a token is neither.</returns>
    public static bool TrySplitKeys(IReadOnlyList<string> tokens, out List<string> keys, [NotNullWhen(false)] out string? unknown)
    {
        keys = [];
        unknown = null;
        for (int i = 0; i < tokens.Count; i++)
        {
            string token = tokens[i];
            int equals = token.IndexOf('=', StringComparison.Ordinal);
            string name = equals < 0 ? token : token[..equals];
            if (!name.StartsWith("--", StringComparison.Ordinal) || !name.Contains(':', StringComparison.Ordinal))
            {
                unknown = token;
                return false;
            }

            if (equals >= 0)
            {
                keys.Add(token);
            }
            else if (i + 1 < tokens.Count && !tokens[i + 1].StartsWith("--", StringComparison.Ordinal))
            {
                keys.Add($"{token}={tokens[++i]}");
            }
            else
            {
                unknown = token;
                return false;
            }
        }

        return true;
    }

    /// <summary>Why a file of settings cannot be read.</summary>
    internal static string ReasonOf(Exception exception) =>
        // The innermost exception has the position, counted from 0.
        exception.GetBaseException() is JsonException { LineNumber: { } line, BytePositionInLine: { } position }
            ? string.Create(CultureInfo.InvariantCulture, $"It is not JSON from line {line + 1}, byte {position + 1} on.")
            : exception.GetBaseException().Message;

    private static bool IsSettingsFile(IConfigurationProvider provider) =>
        provider is FileConfigurationProvider { Source: { Path: { } path, FileProvider: { } files } }
            && string.Equals(files.GetFileInfo(path).PhysicalPath, SettingsFile, StringComparison.Ordinal);
}
