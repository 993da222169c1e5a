using System.Text.Json;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.FileProviders;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.CommandLine;

/// <summary>
/// The section Logging of a configuration, whose files are read again: what they say is merged in the order of the configuration, so the environment and
/// the command line still win. Threads: one at a time.
/// </summary>
internal sealed class LoggingSettings : ConfigurationProvider, IConfigurationSource
{
    public const string Section = "Logging";

    private readonly IConfigurationProvider[] _providers;

    // What each file had when it was last usable.
    private readonly Dictionary<IConfigurationProvider, (byte[] Content, Dictionary<string, string?> Values)> _files = [];

    /// <exception cref="ConfigurationException">A level has another name.</exception>
    public LoggingSettings(IConfiguration configuration)
    {
        _providers = configuration is IConfigurationRoot root
            ? [.. root.Providers]
            : [new ChainedConfigurationSource { Configuration = configuration }.Build(new ConfigurationBuilder())];
        Data = ValuesOf(configuration);
        CheckLevels(Data);
        foreach (FileConfigurationProvider file in _providers.OfType<FileConfigurationProvider>())
        {
            try
            {
                Read(file);
            }
            catch (InvalidDataException)
            {
                // Said at the next reading.
            }
        }
    }

    public IConfigurationProvider Build(IConfigurationBuilder builder) => this;

    /// <summary>Reads the files, and applies what they say about logs if that has changed.</summary>
    /// <returns>The changed keys with their values; null when nothing changed.</returns>
    /// <exception cref="InvalidDataException">A file cannot be used: nothing is changed.</exception>
    public string? Refresh()
    {
        Dictionary<string, string?> values = New();
        foreach (IConfigurationProvider provider in _providers)
        {
            foreach ((string key, string? value) in provider is FileConfigurationProvider file ? Read(file) : ValuesOf(provider))
            {
                values[key] = value;
            }
        }

        foreach (string key in values.Where(static pair => pair.Value is null).Select(static pair => pair.Key).ToArray())
        {
            values.Remove(key);
        }

        string[] changed = [.. values.Keys.Union(Data.Keys, StringComparer.OrdinalIgnoreCase)
            .Where(key => values.GetValueOrDefault(key) != (TryGet(key, out string? before) ? before : null)).Order(StringComparer.OrdinalIgnoreCase)];
        if (changed.Length == 0)
        {
            return null;
        }

        Apply(values);
        return string.Join(", ", changed.Select(key => values.TryGetValue(key, out string? value) ? $"{key}={value}" : $"{key} not set"));
    }

    private void Apply(Dictionary<string, string?> values)
    {
        IDictionary<string, string?> before = Data;
        try
        {
            CheckLevels(values);
            Data = values;
            OnReload();
        }
        catch (ConfigurationException exception)
        {
            throw new InvalidDataException(string.Join("; ", exception.Errors), exception);
        }
        catch (Exception exception)
        {
            // The options of a formatter or another provider cannot be made of these values.
            Data = before;
            OnReload();
            throw new InvalidDataException(exception.GetBaseException().Message, exception);
        }
    }

    private Dictionary<string, string?> Read(FileConfigurationProvider provider)
    {
        (byte[] Content, Dictionary<string, string?> Values) known = _files.GetValueOrDefault(provider, ([], New()));
        IFileInfo file = provider.Source.FileProvider!.GetFileInfo(provider.Source.Path!);
        string path = file.PhysicalPath ?? file.Name;
        try
        {
            if (!file.Exists)
            {
                // One that was there and is gone may be about to be replaced.
                return provider.Source.Optional && known.Content.Length == 0 ? known.Values : throw new InvalidDataException($"{path} does not exist.");
            }

            using MemoryStream content = new();
            using (Stream stream = file.CreateReadStream())
            {
                stream.CopyTo(content);
            }

            byte[] bytes = content.ToArray();
            if (bytes.Length == 0)
            {
                throw new InvalidDataException($"{path} is empty.");
            }

            if (!bytes.AsSpan().SequenceEqual(known.Content))
            {
                content.Position = 0;
                known = (bytes, ValuesOf(new ConfigurationBuilder().AddJsonStream(content).Build()));
                _files[provider] = known;
            }

            return known.Values;
        }
        catch (Exception exception) when (exception is JsonException or FormatException or IOException or UnauthorizedAccessException)
        {
            throw new InvalidDataException($"{path}: {WorkerConfiguration.ReasonOf(exception)}", exception);
        }
    }

    private static Dictionary<string, string?> ValuesOf(IConfiguration configuration) => new(
        configuration.GetSection(Section).AsEnumerable().Where(static pair => pair.Value is not null), StringComparer.OrdinalIgnoreCase);

    private static Dictionary<string, string?> ValuesOf(IConfigurationProvider provider)
    {
        Dictionary<string, string?> values = New();
        Collect(Section);
        return values;

        void Collect(string parent)
        {
            foreach (string key in provider.GetChildKeys([], parent).Distinct(StringComparer.OrdinalIgnoreCase).Select(child => $"{parent}:{child}"))
            {
                if (provider.TryGet(key, out string? value))
                {
                    values[key] = value;
                }

                Collect(key);
            }
        }
    }

    private static Dictionary<string, string?> New() => new(StringComparer.OrdinalIgnoreCase);

    /// <exception cref="ConfigurationException">A level has another name; .NET's own message does not name the key.</exception>
    private static void CheckLevels(IEnumerable<KeyValuePair<string, string?>> settings)
    {
        ConfigurationError[] wrong = [.. settings
            .Where(static setting => setting.Key.Contains(":LogLevel:", StringComparison.OrdinalIgnoreCase) && !string.IsNullOrEmpty(setting.Value)
                && !Enum.TryParse<LogLevel>(setting.Value, ignoreCase: true, out _))
            .Select(static setting => new ConfigurationError(setting.Key, setting.Value, $"must be one of {string.Join(", ", Enum.GetNames<LogLevel>())}."))];
        if (wrong.Length > 0)
        {
            throw new ConfigurationException(wrong);
        }
    }
}
