using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;

namespace Quayside.Messaging.CommandLine;

/// <summary>An option for a whole number, with an error that names the allowed range.</summary>
internal static class CountOption
{
    /// <summary>Creates the option; its value is null when it is not given and has no default.</summary>
    public static Option<int?> Create(string name, string[] aliases, string description, int max, int? defaultValue = null)
    {
        Option<int?> option = new(name, aliases)
        {
            Description = description,
            HelpName = "count",
            CustomParser = result => Parse(result, name, max),
        };
        if (defaultValue is not null)
        {
            option.DefaultValueFactory = _ => defaultValue;
        }

        return option;
    }

    private static int? Parse(ArgumentResult result, string name, int max)
    {
        string text = result.Tokens.Count == 1 ? result.Tokens[0].Value : string.Empty;
        if (int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int value) && value >= 1 && value <= max)
        {
            return value;
        }

        result.AddError($"{name} {text}: must be a whole number from 1 to {max}.");
        return null;
    }
}
