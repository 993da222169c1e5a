using System.Globalization;
using Quayside.Messaging.Archive.Headers;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>Splits the text of a setting into pieces. Continues after an error, so that all errors are reported together.</summary>
internal sealed class KeyTemplateParser
{
    private const string AllowedText = "A-Z a-z 0-9 _ - . = and / between levels";
    private const string AllowedDate = "yyyy MM dd HH mm ss with / - _ . between them";
    private const string AllowedBraces = "pairs such as {Product}, not nested; inside a name only in quotes";
    private const string AllowedRule = "keep, lower, encode, number, any, or none of them, each with or without a limit of 40 to 128 bytes such as keep:64; a "
        + "date format such as yyyy/MM/dd; or epoch:, epochms:, epochus: or epochns: and a date format";

    private static readonly Dictionary<string, KeyRule> Rules = new(StringComparer.Ordinal)
    {
        ["keep"] = KeyRule.Keep,
        ["lower"] = KeyRule.Lower,
        ["encode"] = KeyRule.Encode,
        ["number"] = KeyRule.Number,
        ["any"] = KeyRule.Any,
    };

    private static readonly Dictionary<string, HeaderUse> Epochs = new(StringComparer.Ordinal)
    {
        ["epoch"] = HeaderUse.Epoch,
        ["epochms"] = HeaderUse.EpochMs,
        ["epochus"] = HeaderUse.EpochUs,
        ["epochns"] = HeaderUse.EpochNs,
    };

    /// <summary>The path that means the id, whatever property it comes from.</summary>
    public static readonly PropertyPath DefaultId = PropertyPath.Of(ArchiveOptions.DefaultMessageIdProperty);

    private readonly KeyTextErrors _errors;
    private readonly PropertyPath? _id;
    private readonly List<KeyPiece> _pieces = [];

    private KeyTemplateParser(KeyTextErrors errors, PropertyPath? id)
    {
        _errors = errors;
        _id = id;
    }

    /// <summary>Parses fixed text with placeholders.</summary>
    /// <param name="options">The settings.</param>
    /// <param name="id">Where the id comes from; null when that setting is wrong.</param>
    /// <param name="errors">Receives the errors.</param>
    public static List<KeyPiece> ParseTemplate(ArchiveOptions options, PropertyPath? id, List<KeyTemplateError> errors)
    {
        var parser = new KeyTemplateParser(new KeyTextErrors(nameof(options.Template), errors), id);
        parser.Parse(options.Template, withPlaceholders: true);
        return parser._pieces;
    }

    /// <summary>Parses fixed text without placeholders.</summary>
    public static List<KeyPiece> ParsePrefix(ArchiveOptions options, List<KeyTemplateError> errors)
    {
        var parser = new KeyTemplateParser(new KeyTextErrors(nameof(options.KeyPrefix), errors), id: null);
        parser.Parse(options.KeyPrefix, withPlaceholders: false);
        return parser._pieces;
    }

    /// <summary>Parses the path of the id.</summary>
    /// <returns>Null after an error.</returns>
    public static HeaderProperty? ParseMessageIdProperty(ArchiveOptions options, List<KeyTemplateError> errors)
    {
        string text = options.MessageIdProperty;
        var found = new KeyTextErrors(nameof(options.MessageIdProperty), errors);
        PropertyPath? path = PropertyPathParser.Parse(text, 0, found, out int length);
        if (path is { IsOfSource: true } && path.Text is SourceNames.Enqueued or SourceNames.Group)
        {
            found.Add(
                0, $"{path.Text} as the id: several messages can have the same",
                "what differs from message to message, such as @attribute.id, @deduplication-id or @id");
            return null;
        }

        if (length == text.Length)
        {
            return path is null ? null : new HeaderProperty(path, HeaderUse.Text);
        }

        HeaderUse use = text[(length + 1)..] switch
        {
            "number" => HeaderUse.Number,
            "any" => HeaderUse.Any,
            _ => HeaderUse.None,
        };
        if (use == HeaderUse.None)
        {
            found.Add(
                length, "a rule for the id",
                "a path such as event.id, event.id:number where the id is a number, "
                    + "or event.id:any where it is a string or a number; the id is always escaped");
            return null;
        }

        return path is null ? null : new HeaderProperty(path, use);
    }

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
                _errors.Add(at++, "closing brace without an opening one", AllowedBraces);
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
            if (!char.IsAsciiLetterOrDigit(text[i]) && text[i] is not ('_' or '-' or '.' or '='))
            {
                _errors.Add(i, $"character that is not allowed in a key {KeyTextErrors.Show(text[i])}", AllowedText);
            }
        }

        _pieces.Add(new KeyPiece(KeyPieceKind.Literal, start + 1, text[start..end]));
        return end;
    }

    private int ParsePlaceholder(string text, int start)
    {
        int end = FindBrace(text, start + 1);
        if (end == text.Length || text[end] == '{')
        {
            _errors.Add(start, "opening brace without a closing one", AllowedBraces);

            // The text may have meant the id, so the id is not reported as missing, nor its level as empty.
            _pieces.Add(new KeyPiece(KeyPieceKind.Property, start + 1, text[start..end]));
            return end;
        }

        ReadOnlySpan<char> inside = text.AsSpan(start + 1, end - start - 1);
        PropertyPath? path = PropertyPathParser.Parse(inside, start + 1, _errors, out int length);
        string? rule = length == inside.Length ? null : inside[(length + 1)..].ToString();
        string written = text[start..(end + 1)];
        if (path is not null && (path.Equals(_id) || path.Equals(DefaultId)))
        {
            if (rule is not null)
            {
                _errors.Add(start + 1 + length, "the id has a date format or a rule", "{" + path.Text + "}: the id is always escaped");
            }

            _pieces.Add(new KeyPiece(KeyPieceKind.MessageId, start + 1, written, path));
        }
        else
        {
            ParseRule(new KeyPiece(KeyPieceKind.Property, start + 1, written, path, HeaderUse.Text), rule, start + 1 + length + 1);
        }

        return end + 1;
    }

    // Finds the next brace outside quotes, or the end.
    private static int FindBrace(string text, int at)
    {
        bool isQuoted = false;
        for (; at < text.Length; at++)
        {
            char c = text[at];
            if (isQuoted && c == '\\')
            {
                at++;
            }
            else if (c == '"')
            {
                isQuoted = !isQuoted;
            }
            else if (!isQuoted && (c is '{' or '}'))
            {
                return at;
            }
        }

        return text.Length;
    }

    private void ParseRule(KeyPiece piece, string? rule, int start)
    {
        if (piece.Path is { IsOfSource: true, Text: SourceNames.Enqueued }
            && (rule is null || rule.Length == 0 || Rules.ContainsKey(rule) || Epochs.ContainsKey(rule.Split(':')[0]) || rule.All(char.IsAsciiDigit)))
        {
            _errors.Add(start, "@enqueued without a date format", $"{AllowedDate}, such as {{@enqueued:yyyy/MM/dd/HH}}");
            _pieces.Add(piece);
            return;
        }

        if (rule is null)
        {
            _pieces.Add(piece);
            return;
        }

        int colon = rule.IndexOf(':', StringComparison.Ordinal);
        string word = colon < 0 ? rule : rule[..colon];
        if (Rules.TryGetValue(word, out KeyRule known))
        {
            HeaderUse use = known switch { KeyRule.Number => HeaderUse.Number, KeyRule.Any => HeaderUse.Any, _ => HeaderUse.Text };
            int limit = colon < 0 ? 0 : ParseLimit(rule[(colon + 1)..], start + colon + 1);
            _pieces.Add(piece with { Rule = known, Use = use, Limit = limit });
        }
        else if (colon < 0 && word.Length > 0 && word.All(char.IsAsciiDigit))
        {
            _pieces.Add(piece with { Limit = ParseLimit(word, start) });
        }
        else if (Epochs.TryGetValue(word, out HeaderUse use))
        {
            if (colon < 0)
            {
                _errors.Add(start + rule.Length, $"no date format after {word}", $"{word}: and {AllowedDate}, such as {word}:yyyy/MM/dd");
            }

            ParseFormat(piece with { Kind = KeyPieceKind.DateField, Use = use }, colon < 0 ? "yyyy" : rule[(colon + 1)..], start + (colon < 0 ? 0 : colon + 1));
        }
        else if (word.Length > 2 && word.All(char.IsAsciiLetter) && word.AsSpan().ContainsAnyExcept("yMdHms"))
        {
            _errors.Add(start, $"unknown rule '{word}'", AllowedRule);
            _pieces.Add(piece);
        }
        else
        {
            ParseFormat(piece with { Kind = KeyPieceKind.DateField, Use = HeaderUse.Date }, rule, start);
        }
    }

    private int ParseLimit(string text, int start)
    {
        if (int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int limit) && limit is >= KeyPart.MinLimit and <= KeyPart.MaxBytes)
        {
            return limit;
        }

        _errors.Add(start, $"the limit '{text}'", $"a limit from {KeyPart.MinLimit} to {KeyPart.MaxBytes} bytes");
        return 0;
    }

    private void ParseFormat(KeyPiece date, string format, int start)
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
                    _errors.Add(start + at, $"unknown date field '{format.AsSpan(at, run)}'", AllowedDate);
                }

                _pieces.Add(date with { Position = start + at + 1, Field = field ?? KeyDateField.Year });
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
                _errors.Add(start + at, $"character {KeyTextErrors.Show(c)} in a date format", AllowedDate);
            }

            at++;
        }

        CheckFormatLevel(fieldsInLevel, start + format.Length);
    }

    private void CheckFormatLevel(int fieldsInLevel, int at)
    {
        if (fieldsInLevel == 0)
        {
            _errors.Add(at, "a level of the date format has no date field", AllowedDate);
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
}
