using System.Runtime.InteropServices;
using Quayside.Messaging.Archive.Headers;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>A piece of a parsed template.</summary>
/// <param name="Kind">Its kind.</param>
/// <param name="Position">Where it starts in its setting, counted in characters from 1.</param>
/// <param name="Text">The fixed text, or the placeholder with its braces; empty for a slash.</param>
/// <param name="Path">The property that a placeholder reads; null for fixed text and slashes, and after an error.</param>
/// <param name="Use">The use of the property.</param>
/// <param name="Rule">How a property becomes a part.</param>
/// <param name="Field">The field of a date.</param>
/// <param name="Limit">Maximum bytes of a property's part, at which a longer value is cut; 0 without a limit of its own.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct KeyPiece(
    KeyPieceKind Kind,
    int Position,
    string Text,
    PropertyPath? Path = null,
    HeaderUse Use = HeaderUse.None,
    KeyRule Rule = KeyRule.Seed,
    KeyDateField Field = default,
    int Limit = 0);

/// <summary>The kind of a piece of a parsed template.</summary>
internal enum KeyPieceKind
{
    /// <summary>Fixed text within a level.</summary>
    Literal = 0,

    /// <summary>The end of a level.</summary>
    Slash,

    /// <summary>A property as text.</summary>
    Property,

    /// <summary>One field of a property used as a date.</summary>
    DateField,

    /// <summary>The message's id.</summary>
    MessageId,
}

/// <summary>A field of a date in a key: four digits for the year, two for the others.</summary>
internal enum KeyDateField
{
    Year = 0,
    Month,
    Day,
    Hour,
    Minute,
    Second,
}
