using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>A metadata entry or tag of the objects, as configured.</summary>
/// <param name="Setting">The setting, without its section.</param>
/// <param name="Kind">Its kind.</param>
/// <param name="Name">The metadata's name or the tag's key.</param>
/// <param name="Text">Fixed text, or one placeholder.</param>
internal sealed record ObjectPropertyText(string Setting, ObjectPropertyKind Kind, string Name, string Text)
{
    private const string Allowed = "fixed text without braces, or one placeholder alone, without a rule, such as {tenant} or {order.customer.id}";

    /// <summary>True for fixed text.</summary>
    public bool IsFixed => Text.AsSpan().IndexOfAny('{', '}') < 0;

    /// <summary>Parses a placeholder.</summary>
    /// <param name="errors">Receives the errors.</param>
    /// <returns>The path of the value; null for fixed text, and after an error.</returns>
    public PropertyPath? Parse(List<KeyTemplateError> errors)
    {
        if (IsFixed)
        {
            return null;
        }

        var found = new KeyTextErrors(Setting, errors);
        if (Text is not ['{', .., '}'])
        {
            found.Add(0, "braces within text", Allowed);
            return null;
        }

        // Braces in a name must be in quotes.
        bool isQuoted = false;
        for (int at = 1; at < Text.Length - 1; at++)
        {
            isQuoted ^= Text[at] == '"' && Text[at - 1] != '\\';
            if (!isQuoted && (Text[at] is '{' or '}'))
            {
                found.Add(at, "braces within text", Allowed);
                return null;
            }
        }

        PropertyPath? path = PropertyPathParser.Parse(Text.AsSpan(1, Text.Length - 2), 1, found, out int length);
        if (path is not null && length < Text.Length - 2)
        {
            found.Add(length + 1, "a rule", Allowed);
            return null;
        }

        return path;
    }
}
