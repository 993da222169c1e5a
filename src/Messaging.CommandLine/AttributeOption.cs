using System.CommandLine;
using System.CommandLine.Parsing;

namespace Quayside.Messaging.CommandLine;

/// <summary>The option <c>--attribute NAME=VALUE</c>, which may be given several times.</summary>
internal static class AttributeOption
{
    /// <param name="description">For <c>--help</c>.</param>
    public static Option<KeyValuePair<string, string>[]> Create(string description) => new("--attribute")
    {
        Description = description,
        HelpName = "name=value",
        CustomParser = Parse,
    };

    private static KeyValuePair<string, string>[] Parse(ArgumentResult result)
    {
        List<KeyValuePair<string, string>> attributes = [];
        foreach (string text in result.Tokens.Select(token => token.Value))
        {
            int equals = text.IndexOf('=', StringComparison.Ordinal);
            if (equals <= 0)
            {
                result.AddError($"--attribute {text}: must be a name, =, and a value, such as --attribute tenant=acme.");
            }
            else if (attributes.Exists(other => string.Equals(other.Key, text[..equals], StringComparison.Ordinal)))
            {
                result.AddError($"--attribute {text}: the attribute {text[..equals]} is given twice.");
            }
            else
            {
                attributes.Add(KeyValuePair.Create(text[..equals], text[(equals + 1)..]));
            }
        }

        return [.. attributes];
    }
}
