using System.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.CommandLine;

/// <summary>The error for an argument that is neither a command, an option nor a setting: says what it may have meant.</summary>
internal static class UnknownArgument
{
    /// <summary>Refuses a name that is none of the known ones.</summary>
    /// <exception cref="StartupException">Names the nearest one.</exception>
    public static void Check(string option, string? name, IReadOnlyCollection<string> known)
    {
        if (name is not null && known.Count > 0 && !known.Contains(name, StringComparer.OrdinalIgnoreCase))
        {
            throw new StartupException(Describe(option, name, known), ExitCodes.Usage);
        }
    }

    /// <summary>Accepts only these values of an option, and names the nearest of them for another.</summary>
    public static void AllowOnly<T>(Option<T> option, IReadOnlyCollection<string> known)
    {
        option.CompletionSources.Add([.. known]);
        option.Validators.Add(result =>
        {
            foreach (string unknown in result.Tokens.Select(token => token.Value).Except(known, StringComparer.Ordinal))
            {
                result.AddError(Describe(option.Name, SettingText.Mask(unknown), known));
            }
        });
    }

    private static string Describe(string option, string name, IReadOnlyCollection<string> known)
    {
        string hint = NearestName.Find(name, known) is { } nearest ? $" Did you mean {UntrustedText.Shorten(nearest)}?" : string.Empty;
        return $"{option} {UntrustedText.Shorten(name)}: there is none.{hint} There are: {string.Join(", ", known.Select(UntrustedText.Shorten))}.";
    }

    /// <param name="token">The argument.</param>
    /// <param name="command">The command that it belongs to.</param>
    /// <param name="config">The option of every command.</param>
    /// <param name="sections">The sections of the settings.</param>
    public static string Describe(string token, Command command, Option config, IReadOnlyList<SettingsSection> sections) =>
        $"'{SettingText.Mask(token)}' is neither a command, an option (see --help) nor a configuration key such as "
            + $"--Sinks:Directory:Path=data.{Hint(token, command, config, sections) switch { null => string.Empty, { } hint => $" {hint}" }}";

    private static string? Hint(string token, Command command, Option config, IReadOnlyList<SettingsSection> sections)
    {
        string bare = token.TrimStart('-', '/');
        int equals = bare.IndexOf('=', StringComparison.Ordinal);
        string name = equals < 0 ? bare : bare[..equals];

        // As in the environment, or with dots.
        string key = name.Replace("__", ":", StringComparison.Ordinal).Replace('.', ':');
        if (key.Contains(':', StringComparison.Ordinal) && IsNearSection(key.Split(':')[0], sections))
        {
            return equals < 0 ? $"A setting needs a value: --{key}=value." : $"Did you mean --{SettingText.Mask($"{key}{bare[equals..]}")}?";
        }

        Dictionary<string, string> known = new(StringComparer.OrdinalIgnoreCase);
        foreach (string shown in command.Subcommands.Select(sub => sub.Name)
            .Concat(command.Options.Append(config).Where(option => !option.Hidden).Select(option => option.Name))
            .Append("--help"))
        {
            known.TryAdd(shown.TrimStart('-'), shown);
        }

        return NearestName.Find(name, known.Keys) is not { } nearest ? null
            : known[nearest] == token ? $"Write {token} after {command.Name}."
            : $"Did you mean {known[nearest]}?";
    }

    private static bool IsNearSection(string root, IReadOnlyList<SettingsSection> sections) =>
        NearestName.Find(root, sections.Select(section => section.Name.Split(':')[0]).Distinct(StringComparer.OrdinalIgnoreCase)) is not null;
}
