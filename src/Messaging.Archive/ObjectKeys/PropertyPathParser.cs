using System.Collections.Immutable;
using System.Globalization;
using System.Text;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>
/// Parses paths such as <c>tenant.id</c>, <c>order.lines[0].sku</c> and <c>"odd.name".x</c>. Continues after an error, so that all errors are reported
/// together.
/// </summary>
internal ref struct PropertyPathParser
{
    /// <summary>Maximum UTF-8 bytes of a property name: more than any real name has. It also limits how much of an escaped name is read.</summary>
    public const int MaxNameBytes = 128;

    private const string AllowedName = "the name of a JSON property, without blanks around it, at most 128 bytes; in quotes if it holds one of . [ ] : \" { }";
    private const string AllowedSteps =
        "names separated by dots, and [n] for array elements, such as order.lines[0].sku; other names in quotes, such as \"odd.name\"";

    private readonly ReadOnlySpan<char> _text;
    private readonly int _offset;
    private readonly KeyTextErrors _errors;
    private readonly ImmutableArray<PropertyStep>.Builder _steps;
    private bool _failed;
    private bool _isOfSource;
    private int _at;

    private PropertyPathParser(ReadOnlySpan<char> text, int offset, KeyTextErrors errors)
    {
        _text = text;
        _offset = offset;
        _errors = errors;
        _steps = ImmutableArray.CreateBuilder<PropertyStep>();
    }

    /// <summary>Parses a path up to the end of the text or to a colon outside quotes.</summary>
    /// <param name="text">Starts with the path.</param>
    /// <param name="offset">Its index in the setting, for the errors.</param>
    /// <param name="errors">Receives the errors.</param>
    /// <param name="length">Length of the path in <paramref name="text"/>.</param>
    /// <returns>The path; null after an error.</returns>
    public static PropertyPath? Parse(ReadOnlySpan<char> text, int offset, KeyTextErrors errors, out int length)
    {
        var parser = new PropertyPathParser(text, offset, errors);
        parser.Parse();
        length = parser._at;
        return parser._failed ? null : new PropertyPath(parser._steps.ToImmutable(), parser._isOfSource);
    }

    private void Parse()
    {
        bool expectsName = true;
        while (_at < _text.Length && _text[_at] != ':')
        {
            char c = _text[_at];
            if (expectsName && !(c is '.' or '[' or ']'))
            {
                ParseName(c);
                expectsName = false;
            }
            else if (c == '.' && !expectsName)
            {
                _at++;
                expectsName = true;
            }
            else if (c == '[' && (!expectsName || _steps.Count == 0))
            {
                ParseIndex();
                expectsName = false;
            }
            else
            {
                Fail(_at++, $"{KeyTextErrors.Show(c)} where {(expectsName ? "a name" : "a dot")} belongs", AllowedSteps);
            }
        }

        if (expectsName)
        {
            Fail(_at, "empty name", AllowedName);
        }

        if (_steps.Count > PropertyPath.MaxSteps)
        {
            Fail(0, $"a path of {_steps.Count} steps", $"at most {PropertyPath.MaxSteps} steps, the deepest nesting of a body");
        }

        if (_text.StartsWith('@') && _steps is [{ Name: { } first }, ..])
        {
            CheckSource(first);
        }
    }

    // Any other name is a property of the body, such as @timestamp, unless it looks like a mistake.
    private void CheckSource(string first)
    {
        _isOfSource = SourceNames.All.Contains(first);
        if (!_isOfSource)
        {
            if (SourceNames.FindNearest(first) is { } nearest)
            {
                Fail(0, $"unknown name {UntrustedText.Shorten(first)}",
                    $"{nearest}; a property of the body with such a name in quotes, as {{\"@name\"}}");
            }
        }
        else if (first == SourceNames.Attribute ? _steps is not [_, { Name: not null }] : _steps.Count > 1)
        {
            Fail(0, $"{first} with {_steps.Count - 1} names after it",
                first == SourceNames.Attribute ? "one name, such as @attribute.tenant; in quotes if it holds a dot, as @attribute.\"a.b\"" : $"{first} alone");
        }
    }

    private void ParseName(char first)
    {
        if (first == '"')
        {
            ParseQuotedName();
            return;
        }

        int start = _at;
        while (_at < _text.Length && !PropertyPath.IsSpecial(_text[_at]))
        {
            _at++;
        }

        if (_at == start)
        {
            // A brace: the template's braces are matched only outside quotes.
            Fail(_at++, $"{KeyTextErrors.Show(first)} in a name without quotes", AllowedName);
            return;
        }

        string name = _text[start.._at].ToString();
        if (name[0] == ' ' || name[^1] == ' ')
        {
            Fail(start, "blank before or after a name", AllowedName);
        }

        AddName(name, start);
    }

    private void ParseQuotedName()
    {
        int start = _at++;
        var name = new StringBuilder();
        for (; _at < _text.Length && _text[_at] != '"'; _at++)
        {
            if (_text[_at] == '\\')
            {
                _at++;
                if (_at == _text.Length || _text[_at] is not ('"' or '\\'))
                {
                    Fail(_at, "an unknown escape in a quoted name", "\\\" and \\\\");
                    continue;
                }
            }

            name.Append(_text[_at]);
        }

        if (_at >= _text.Length)
        {
            _at = _text.Length;
            Fail(start, "opening quote without a closing one", AllowedName);
            return;
        }

        _at++;
        AddName(name.ToString(), start + 1);
    }

    private void AddName(string name, int start)
    {
        if (Encoding.UTF8.GetByteCount(name) > MaxNameBytes)
        {
            Fail(start, "name too long", AllowedName);
        }

        int at = start;
        foreach (Rune rune in name.EnumerateRunes())
        {
            // The enumerator returns the replacement character for half a surrogate pair.
            if (Rune.IsControl(rune) || rune == Rune.ReplacementChar)
            {
                Fail(at, $"character U+{rune.Value:X4} in a name", AllowedName);
            }

            at += rune.Utf16SequenceLength;
        }

        _steps.Add(new PropertyStep(name));
    }

    private void ParseIndex()
    {
        int start = _at;
        int end = _text[start..].IndexOf(']');
        ReadOnlySpan<char> digits = end < 0 ? _text[(start + 1)..] : _text[(start + 1)..(start + end)];
        _at = end < 0 ? _text.Length : start + end + 1;
        if (_steps.Count == 0)
        {
            Fail(start, "an index at the start", "a property's name first, because a body is an object");
        }

        int index = 0;
        if (end < 0
            || digits.Length is 0 or > 4
            || digits.ContainsAnyExceptInRange('0', '9')
            || !int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out index))
        {
            Fail(start, "an invalid index", $"[0] to [{PropertyPath.MaxIndex}], counted from 0");
        }

        _steps.Add(new PropertyStep(Name: null, index));
    }

    private void Fail(int at, string problem, string allowed)
    {
        _failed = true;
        _errors.Add(_offset + at, problem, allowed);
    }
}
