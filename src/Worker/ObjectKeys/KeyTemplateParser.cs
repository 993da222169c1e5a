using System.Globalization;
using System.Text;

namespace Worker.ObjectKeys;

/// <summary>Splits the text of a setting into pieces. Goes on after an error, so that all are reported at once.</summary>
internal sealed class KeyTemplateParser
{
    /// <summary>UTF-8 bytes of a property name at most: longer than any real one, and what is read of an escaped name is bounded by it.</summary>
    public const int MaxNameBytes = 128;

    private const string AllowedText = "a-z 0-9 _ - . = and / between levels";
    private const string AllowedDate = "yyyy MM dd HH mm ss with / - _ . between them";
    private const string AllowedName = "the name of a JSON property, without blanks around it, at most 128 bytes";
    private const string AllowedBraces = "pairs like {Product}, not inside each other";

    private readonly string _setting;
    private readonly string _messageIdProperty;
    private readonly List<KeyTemplateError> _errors;
    private readonly List<KeyPiece> _pieces = [];

    private KeyTemplateParser(string setting, string messageIdProperty, List<KeyTemplateError> errors)
    {
        _setting = setting;
        _messageIdProperty = messageIdProperty;
        _errors = errors;
    }

    /// <summary>Parses fixed text with placeholders.</summary>
    public static List<KeyPiece> ParseTemplate(KeyTemplateOptions options, List<KeyTemplateError> errors)
    {
        var parser = new KeyTemplateParser(nameof(options.Template), options.MessageIdProperty, errors);
        parser.Parse(options.Template, withPlaceholders: true);
        return parser._pieces;
    }

    /// <summary>Parses fixed text without placeholders.</summary>
    public static List<KeyPiece> ParsePrefix(KeyTemplateOptions options, List<KeyTemplateError> errors)
    {
        var parser = new KeyTemplateParser(nameof(options.KeyPrefix), options.MessageIdProperty, errors);
        parser.Parse(options.KeyPrefix, withPlaceholders: false);
        return parser._pieces;
    }

    /// <summary>Checks the name of the property that the id comes from.</summary>
    public static void CheckMessageIdProperty(KeyTemplateOptions options, List<KeyTemplateError> errors) =>
        new KeyTemplateParser(nameof(options.MessageIdProperty), options.MessageIdProperty, errors).CheckName(options.MessageIdProperty, 0);

    private void Parse(string text, bool withPlaceholders)
    {
        int at = 0;
        while (at < text.Length)
        {
            char c = text[at];
            if (withPlaceholders && c == '{')
            {
                at = ParsePlaceholder(text, at);
            }
            else if (withPlaceholders && c == '}')
            {
                Error(at++, "closing brace without an opening one", AllowedBraces);
            }
            else if (c == '/')
            {
                _pieces.Add(new KeyPiece(KeyPieceKind.Slash, at + 1, ""));
                at++;
            }
            else
            {
                at = ParseFixedText(text, at, withPlaceholders);
            }
        }
    }

    private int ParseFixedText(string text, int start, bool withPlaceholders)
    {
        int end = text.AsSpan(start).IndexOfAny(withPlaceholders ? "/{}" : "/");
        end = end < 0 ? text.Length : start + end;
        for (int i = start; i < end; i++)
        {
            if (!char.IsAsciiLetterLower(text[i]) && !char.IsAsciiDigit(text[i]) && text[i] is not ('_' or '-' or '.' or '='))
            {
                string problem = char.IsAsciiLetterUpper(text[i]) ? "upper-case letter" : "character that is not allowed in a key";
                Error(i, $"{problem} {Show(text[i])}", AllowedText);
            }
        }

        _pieces.Add(new KeyPiece(KeyPieceKind.Literal, start + 1, text[start..end]));
        return end;
    }

    private int ParsePlaceholder(string text, int start)
    {
        int end = text.AsSpan(start + 1).IndexOfAny('{', '}');
        end = end < 0 ? text.Length : start + 1 + end;
        bool closed = end < text.Length && text[end] == '}';
        if (!closed)
        {
            Error(start, "opening brace without a closing one", AllowedBraces);
        }

        string inside = text[(start + 1)..end];
        int colon = inside.IndexOf(':', StringComparison.Ordinal);
        string name = colon < 0 ? inside : inside[..colon];
        if (closed)
        {
            CheckName(name, start + 1);
        }

        bool isId = name.Length > 0
            && (string.Equals(name, _messageIdProperty, StringComparison.Ordinal)
                || string.Equals(name, KeyTemplateOptions.DefaultMessageIdProperty, StringComparison.Ordinal));
        if (isId && colon >= 0)
        {
            Error(start + 1 + colon, "the id has a date format", "{" + name + "}");
        }

        if (isId || colon < 0)
        {
            _pieces.Add(new KeyPiece(isId ? KeyPieceKind.MessageId : KeyPieceKind.Property, start + 1, name));
        }
        else
        {
            ParseFormat(name, inside[(colon + 1)..], start + 1 + colon + 1);
        }

        return closed ? end + 1 : end;
    }

    private void ParseFormat(string name, string format, int start)
    {
        int fieldsInLevel = 0;
        int at = 0;
        while (at < format.Length)
        {
            char c = format[at];
            int run = format.AsSpan(at).IndexOfAnyExcept(c);
            run = run < 0 ? format.Length - at : run;
            if (char.IsAsciiLetter(c))
            {
                KeyDateField? field = FieldOf(c, run);
                if (field is null)
                {
                    Error(start + at, $"unknown date field '{format.AsSpan(at, run)}'", AllowedDate);
                }

                _pieces.Add(new KeyPiece(KeyPieceKind.DateField, start + at + 1, name, field ?? KeyDateField.Year));
                fieldsInLevel++;
                at += run;
                continue;
            }

            if (c == '/')
            {
                CheckFormatLevel(fieldsInLevel, start + at);
                fieldsInLevel = 0;
                _pieces.Add(new KeyPiece(KeyPieceKind.Slash, start + at + 1, ""));
            }
            else if (c is '-' or '_' or '.')
            {
                _pieces.Add(new KeyPiece(KeyPieceKind.Literal, start + at + 1, c.ToString()));
            }
            else
            {
                Error(start + at, $"character {Show(c)} in a date format", AllowedDate);
            }

            at++;
        }

        CheckFormatLevel(fieldsInLevel, start + format.Length);
    }

    private void CheckFormatLevel(int fieldsInLevel, int at)
    {
        if (fieldsInLevel == 0)
        {
            Error(at, "a level of the date format has no date field", AllowedDate);
        }
    }

    private void CheckName(string name, int start)
    {
        if (name.Length == 0)
        {
            Error(start, "empty name", AllowedName);
            return;
        }

        if (name[0] == ' ' || name[^1] == ' ')
        {
            Error(start, "blank before or after a name", AllowedName);
        }

        if (Encoding.UTF8.GetByteCount(name) > MaxNameBytes)
        {
            Error(start, "name too long", AllowedName);
        }

        int at = start;
        foreach (Rune rune in name.EnumerateRunes())
        {
            // The enumerator gives the replacement character for half a surrogate pair.
            if (Rune.IsControl(rune) || rune == Rune.ReplacementChar)
            {
                Error(at, $"character U+{rune.Value:X4} in a name", AllowedName);
            }

            at += rune.Utf16SequenceLength;
        }
    }

    private static KeyDateField? FieldOf(char letter, int count) => (letter, count) switch
    {
        ('y', 4) => KeyDateField.Year,
        ('M', 2) => KeyDateField.Month,
        ('d', 2) => KeyDateField.Day,
        ('H', 2) => KeyDateField.Hour,
        ('m', 2) => KeyDateField.Minute,
        ('s', 2) => KeyDateField.Second,
        _ => null,
    };

    private static string Show(char c) => c is >= ' ' and <= '~' ? $"'{c}'" : string.Create(CultureInfo.InvariantCulture, $"U+{(int)c:X4}");

    private void Error(int index, string problem, string allowed) => _errors.Add(new KeyTemplateError(_setting, index + 1, problem, allowed));
}
