using System.CommandLine;
using System.Globalization;

namespace Proof;

/// <summary>Options whose wrong values are refused before anything runs.</summary>
internal static class Options
{
    /// <summary>Twice it is still an <see cref="int"/>, so a first seed and a number of seeds can be added.</summary>
    private const int Max = 1_000_000_000;

    /// <summary>The command as the README's reader runs it.</summary>
    public const string Command = "dotnet run -c Release --project proof --";

    /// <summary>A whole number from 1 to 1,000,000,000.</summary>
    /// <param name="name">The option.</param>
    /// <param name="description">For the help.</param>
    /// <param name="standard">The value without the option; null when it is required.</param>
    public static Option<int> Number(string name, string description, int? standard)
    {
        Option<int> option = new(name)
        {
            Description = description,
            HelpName = "number",
            Required = standard is null,
            CustomParser = result =>
            {
                if (int.TryParse(result.Tokens[0].Value, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number is > 0 and <= Max)
                {
                    return number;
                }

                result.AddError(string.Create(CultureInfo.InvariantCulture, $"{name} {result.Tokens[0].Value}: must be a whole number from 1 to {Max:N0}"));
                return default;
            },
        };
        if (standard is { } value)
        {
            option.DefaultValueFactory = _ => value;
        }

        return option;
    }

    /// <summary>Names of an enum's values, with commas between them if it has flags.</summary>
    public static Option<T> Names<T>(string name, string description)
        where T : struct, Enum
    {
        string known = string.Join(", ", Enum.GetNames<T>());
        return new(name)
        {
            Description = $"{description}: {known}",
            HelpName = "name",
            CustomParser = result =>
            {
                string text = result.Tokens[0].Value;
                string[] names = typeof(T).IsDefined(typeof(FlagsAttribute), inherit: false) ? text.Split(',') : [text];
                bool isKnown = Array.TrueForAll(names, part => Enum.GetNames<T>().Contains(part.Trim(), StringComparer.OrdinalIgnoreCase));
                if (isKnown && Enum.TryParse(text, ignoreCase: true, out T value))
                {
                    return value;
                }

                result.AddError($"{name} {text}: must be of {known}");
                return default;
            },
        };
    }

    /// <summary>A file to which is written at the end of a run. It is opened before, so that a run is not for nothing.</summary>
    /// <param name="name">The option.</param>
    /// <param name="description">For the help.</param>
    public static Option<string?> Output(string name, string description)
    {
        Option<string?> option = new(name) { Description = description, HelpName = "file" };
        option.Validators.Add(result =>
        {
            string path = result.GetValueOrDefault<string>();
            try
            {
                File.Open(path, FileMode.OpenOrCreate, FileAccess.Write).Dispose();
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentException)
            {
                result.AddError($"{name} {path}: {(Directory.Exists(path) ? "is a folder; must be a file" : exception.Message)}");
            }
        });
        return option;
    }
}
