using System.Collections.Immutable;
using Quayside.Messaging.Archive.Headers;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>The part of a template between two slashes.</summary>
/// <param name="Setting">The option that contains it.</param>
/// <param name="Position">Where it starts there, counted in characters from 1.</param>
/// <param name="Pieces">Its pieces, none of them a slash; empty between two slashes in a row.</param>
internal sealed record KeyLevel(string Setting, int Position, ImmutableArray<KeyPiece> Pieces)
{
    /// <summary>Index of the piece that is the id, or -1.</summary>
    public int IdIndex { get; } = FindId(Pieces);

    /// <summary>The properties used as dates in this level, each once. The level is left out unless all of them have a date.</summary>
    public ImmutableArray<HeaderProperty> Dates { get; } =
        [.. Pieces.Where(p => p is { Kind: KeyPieceKind.DateField, Path: not null }).Select(p => new HeaderProperty(p.Path!, p.Use)).Distinct()];

    /// <summary>The level's text when it is fixed; null otherwise.</summary>
    public string? FixedText { get; } =
        Pieces.All(p => p.Kind == KeyPieceKind.Literal) ? string.Concat(Pieces.Select(p => p.Text)) : null;

    /// <summary>True when the level is this name, ignoring case, or a message's values can make it so.</summary>
    /// <param name="name">The name, without a slash.</param>
    public bool CanBe(string name)
    {
        if (FixedText is { } all)
        {
            return string.Equals(all, name, StringComparison.OrdinalIgnoreCase);
        }

        // No value of a placeholder starts with a dot.
        return Pieces[0] is { Kind: KeyPieceKind.Literal } start
            ? start.Text.Length < name.Length && name.StartsWith(start.Text, StringComparison.OrdinalIgnoreCase)
            : !name.StartsWith('.');
    }

    /// <summary>True when a key can begin with this level: each level before it has a date that this one does not need.</summary>
    /// <param name="before">The levels before it.</param>
    public bool CanBeFirst(IEnumerable<KeyLevel> before) => before.All(level => level.Dates.Except(Dates).Any());

    /// <summary>The paths whose rule can write the same part for different values.</summary>
    /// <param name="invalid">The rule for values that do not fit.</param>
    public IEnumerable<string> FindMerging(InvalidValueRule invalid) => Properties()
        .Where(p => p.Rule is KeyRule.Seed or KeyRule.Lower || (p.Rule == KeyRule.Keep && invalid == InvalidValueRule.Default))
        .Select(p => p.Path!.Text);

    /// <summary>The paths that share this level: whatever their rules, different values can write the same level.</summary>
    public IEnumerable<string> FindSharing()
    {
        KeyPiece[] properties = Properties();
        return properties.Length > 1 ? properties.Select(p => p.Path!.Text) : [];
    }

    private KeyPiece[] Properties() => [.. Pieces.Where(p => p is { Kind: KeyPieceKind.Property, Path: not null })];

    private static int FindId(ImmutableArray<KeyPiece> pieces)
    {
        for (int i = 0; i < pieces.Length; i++)
        {
            if (pieces[i].Kind == KeyPieceKind.MessageId)
            {
                return i;
            }
        }

        return -1;
    }
}
