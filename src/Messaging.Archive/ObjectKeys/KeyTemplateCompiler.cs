using System.Collections.Immutable;
using System.Diagnostics.CodeAnalysis;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>Checks the parsed levels as a whole and compiles them into segments. Runs once, at start.</summary>
internal static class KeyTemplateCompiler
{
    private const string AllowedLevels = "non-empty levels, separated by single slashes";
    private const string AllowedId = "the id once, in a level where everything else is fixed text";

    /// <summary>Reads and checks the options.</summary>
    /// <param name="options">The settings.</param>
    /// <param name="levels">The levels of the prefix and of the template.</param>
    /// <param name="id">The path of the id; not null when true is returned.</param>
    /// <param name="errors">All errors, when false is returned.</param>
    public static bool TryRead(
        ArchiveOptions options, out ImmutableArray<KeyLevel> levels, [NotNullWhen(true)] out HeaderProperty? id,
        out ImmutableArray<KeyTemplateError> errors)
    {
        var found = new List<KeyTemplateError>();
        id = KeyTemplateParser.ParseMessageIdProperty(options, found);
        List<KeyPiece> prefix = KeyTemplateParser.ParsePrefix(options, found);
        List<KeyPiece> template = KeyTemplateParser.ParseTemplate(options, id?.Path, found);
        bool isParsed = found.Count == 0;
        if (prefix is [.., { Kind: KeyPieceKind.Slash }] and not [_])
        {
            prefix.RemoveAt(prefix.Count - 1);
        }

        List<KeyLevel> all = prefix.Count == 0 ? [] : Split(nameof(options.KeyPrefix), prefix);
        all.AddRange(Split(nameof(options.Template), template));
        levels = [.. all];
        CheckLevels(levels, found);
        CheckId(levels, isParsed, found);
        KeyPathCheck.Check(levels, id, PathsOf(options, found), found);
        CheckLength(levels, found);
        CheckDates(options, found);
        errors = [.. found];
        return found.Count == 0;
    }

    /// <summary>Bytes of the longest key that these levels can write.</summary>
    public static int LongestKey(ImmutableArray<KeyLevel> levels) => levels.Sum(LongestLevel) + levels.Length - 1;

    /// <summary>Bytes of the longest name between two slashes that this level can write.</summary>
    public static int LongestLevel(KeyLevel level) => level.Pieces.Sum(p => p.Kind switch
    {
        KeyPieceKind.Property => p.Limit == 0 ? KeyPart.MaxBytes : p.Limit,
        KeyPieceKind.MessageId => KeyPart.MaxBytes,
        KeyPieceKind.DateField => KeySegmentBuilder.DigitsOf(p.Field),
        _ => p.Text.Length,
    });

    // A placeholder of the id's name is the id, whatever property it comes from.
    private static List<(string Setting, PropertyPath Path)> PathsOf(ArchiveOptions options, List<KeyTemplateError> errors)
    {
        List<(string, PropertyPath)> paths = [];
        foreach (ObjectPropertyText property in options.Properties)
        {
            if (property.Parse(errors) is { } path && !path.Equals(KeyTemplateParser.DefaultId))
            {
                paths.Add((property.Setting, path));
            }
        }

        return paths;
    }

    private static List<KeyLevel> Split(string setting, List<KeyPiece> pieces)
    {
        var levels = new List<KeyLevel>();
        int start = 0;
        int position = 1;
        for (int i = 0; i <= pieces.Count; i++)
        {
            if (i == pieces.Count || pieces[i].Kind == KeyPieceKind.Slash)
            {
                levels.Add(new KeyLevel(setting, position, [.. pieces.Skip(start).Take(i - start)]));
                start = i + 1;
                position = i == pieces.Count ? position : pieces[i].Position + 1;
            }
        }

        return levels;
    }

    private static void CheckLevels(ImmutableArray<KeyLevel> levels, List<KeyTemplateError> errors)
    {
        for (int i = 0; i < levels.Length; i++)
        {
            KeyLevel level = levels[i];
            bool isFirst = i == 0 || levels[i - 1].Setting != level.Setting;
            bool isLast = i == levels.Length - 1 || levels[i + 1].Setting != level.Setting;
            string? problem = level.FixedText switch
            {
                "" when isFirst && isLast => "empty",
                "" when isFirst => "slash at the start",
                "" when isLast => "slash at the end",
                "" => "two slashes in a row",
                "." or ".." => "dot segment",
                _ => null,
            };
            if (problem is not null)
            {
                errors.Add(new KeyTemplateError(level.Setting, level.Position, problem, AllowedLevels));
            }
        }
    }

    // The id must be readable from the key. So its level may contain no other value, and its position must be fixed from one end
    // of the key, which it is not when optional date levels are on both sides.
    private static void CheckId(ImmutableArray<KeyLevel> levels, bool isParsed, List<KeyTemplateError> errors)
    {
        KeyPiece[] ids = [.. levels.SelectMany(l => l.Pieces).Where(p => p.Kind == KeyPieceKind.MessageId)];
        if (ids.Length == 0 && isParsed)
        {
            string? near = levels
                .SelectMany(level => level.Pieces)
                .Select(piece => piece.Path?.Text)
                .FirstOrDefault(path => string.Equals(path, "MessageId", StringComparison.OrdinalIgnoreCase));
            string problem =
                $"no {{MessageId}}{(near is null ? "" : $" ({{{near}}} is another property: case matters)")}: messages with different ids would share a key";
            errors.Add(new KeyTemplateError(nameof(ArchiveOptions.Template), 1, problem, AllowedId));
        }

        foreach (KeyPiece again in ids.Skip(1))
        {
            errors.Add(new KeyTemplateError(nameof(ArchiveOptions.Template), again.Position, "the id occurs twice in the template", AllowedId));
        }

        if (ids.Length != 1)
        {
            return;
        }

        int idLevel = 0;
        while (levels[idLevel].IdIndex < 0)
        {
            idLevel++;
        }

        IEnumerable<KeyPiece> others = levels[idLevel].Pieces.Where(p => p.Kind is KeyPieceKind.Property or KeyPieceKind.DateField);
        foreach (KeyPiece other in others.DistinctBy(p => p.Text, StringComparer.Ordinal))
        {
            string problem = UntrustedText.Shorten(other.Text) + " in the level of the id: different ids could have the same key";
            errors.Add(new KeyTemplateError(levels[idLevel].Setting, other.Position, problem, AllowedId));
        }

        KeyLevel? after = levels.Skip(idLevel + 1).FirstOrDefault(l => l.Dates.Length > 0);
        if (after is not null && levels.Take(idLevel).Any(l => l.Dates.Length > 0))
        {
            string problem = "date levels on both sides of the id: without a date, different ids could have the same key";
            errors.Add(new KeyTemplateError(after.Setting, after.Position, problem, "date levels before the id or after it"));
        }
    }

    private static void CheckDates(ArchiveOptions options, List<KeyTemplateError> errors)
    {
        if (FindZone(options) is null)
        {
            errors.Add(
                new KeyTemplateError(
                    nameof(options.TimeZone), 1, $"this machine knows no time zone {UntrustedText.Shorten(options.TimeZone)}",
                    "UTC, or a name such as Europe/Berlin whose data is installed (on Linux by the package tzdata)"));
        }

        foreach (string format in options.DateFormats)
        {
            if (DateForms.FindProblem(format) is { } problem)
            {
                errors.Add(
                    new KeyTemplateError(
                        nameof(options.DateFormats), 1, $"the format {UntrustedText.Shorten(format)} cannot be used: {problem}",
                        "custom date formats of .NET with a year, a month and a day, such as dd/MM/yyyy HH:mm:ss"));
            }
        }
    }

    /// <summary>The time zone of the dates in keys; null when this machine does not know it.</summary>
    public static TimeZoneInfo? FindZone(ArchiveOptions options) =>
        string.Equals(options.TimeZone, "UTC", StringComparison.OrdinalIgnoreCase) ? TimeZoneInfo.Utc
        : TimeZoneInfo.TryFindSystemTimeZoneById(options.TimeZone, out TimeZoneInfo? zone) ? zone
        : null;

    private static void CheckLength(ImmutableArray<KeyLevel> levels, List<KeyTemplateError> errors)
    {
        int longest = LongestKey(levels);
        if (longest > KeyTemplate.MaxKeyBytes)
        {
            errors.Add(new KeyTemplateError(
                nameof(ArchiveOptions.Template),
                1,
                $"the longest key would have {longest} bytes",
                $"{KeyTemplate.MaxKeyBytes} bytes including the prefix, counting {KeyPart.MaxBytes} for the id and per property, "
                    + $"or the property's own limit, such as 64 in {{user:keep:64}}"));
        }
    }
}
